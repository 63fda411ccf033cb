#pragma once

#include <optional>

#include "schedules/priced_calls.h"

namespace eutectic {

/** `before` was planned to compare prices: the plan of `graph`, where that is the same pipeline, read once
 * more. Its reduction variables may have other names; nothing where anything else differs. */
std::optional<Planned> kept_plan(PlanAfter before, const Graph &graph);

}  // namespace eutectic
