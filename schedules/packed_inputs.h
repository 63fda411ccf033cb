#pragma once

// Inputs that callers pack before, once for many calls: packed=NAME,NAME.

#include <string>
#include <vector>

#include "Halide.h"

#include "fusion/plan/panels.h"
#include "report/report.h"

namespace eutectic {

/** The inputs of `pipeline`, of which `graph` was read, that are called `names`. Throws UserError for what is
 * none, and for what cannot be read in panels, with the reason. */
std::vector<PackedInput> packed_inputs(const Graph &graph, const Halide::Pipeline &pipeline,
                                       const std::vector<std::string> &names);

/** How they lie for `plan`, by the names of the arguments; before it is applied. Throws UserError, with what
 * policies say, where it reads one in another way. */
std::vector<PackedArgument> packed_arguments(const Graph &graph, const Halide::Pipeline &pipeline,
                                             const FusionPlan &plan, const std::vector<PackedInput> &packed);

}  // namespace eutectic
