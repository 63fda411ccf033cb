#pragma once

#include <string>

#include "fusion/plan/plan.h"

namespace eutectic::test {

/** Where Funcs live in `to` and not in `from`, in graph order: "a root -> block of c, b root -> with c". */
std::string differences(const Graph &graph, const Placements &from, const Placements &to);

}  // namespace eutectic::test
