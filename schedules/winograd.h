#pragma once

#include <optional>
#include <string>
#include <vector>

#include "Halide.h"

#include "schedules/priced_calls.h"

namespace eutectic {

/** Has those convolutions of `pipeline` with windows of 3 x 3 points be computed by Winograd's algorithm with
 * which everything is predicted to be faster: in tiles of 2 x 2 or 4 x 4 results, whichever is fastest; of
 * ways that take about as long, that whose plan is good on all of the target's processors. Each is tried on a
 * copy, the largest first, those of one size together. Not under strict numerics, for it reassociates, nor
 * for GPUs, nor where calls of a library, without any, make everything faster. `graph`, which was read from
 * the pipeline, is then read anew, `prepared` has the calls, and `changed` a sentence with both times for
 * each that was tried. Returns what was planned for the way that is taken; nothing where nothing was tried.
 */
std::optional<PlanAfter> choose_winograd(const Halide::Pipeline &pipeline, const Halide::Target &target,
                                         const Machine &machine, const Parameters &parameters, Graph &graph,
                                         std::vector<Prepared> &prepared, std::vector<std::string> &changed);

}  // namespace eutectic
