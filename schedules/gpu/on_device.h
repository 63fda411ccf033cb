#pragma once

#include "base/verdict.h"
#include "fusion/plan/plan.h"

namespace eutectic {

/** Does a GPU compute everything that `plan` has in memory? What has no loops over its blocks would be
 * computed on the CPU, without a word, and copied there and back. A refusal names the Func. */
Verdict on_device(const Graph &graph, const FusionPlan &plan);

}  // namespace eutectic
