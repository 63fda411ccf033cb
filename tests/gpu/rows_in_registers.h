#pragma once

#include "fusion/plan/plan.h"

namespace eutectic::test {

/** One kernel for the only output of `graph`, by gpu_registers() whatever others would cost. `keep`: what is
 * computed at every point of a row is kept, too, instead of computed wherever it is read. Throws
 * std::logic_error with the policy's sentence when it refuses. */
FusionPlan rows_in_registers(const Graph &graph, const Machine &machine, bool keep);

}  // namespace eutectic::test
