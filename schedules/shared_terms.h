#pragma once

#include <utility>
#include <vector>

#include "Halide.h"

#include "graph/data/graph.h"

namespace eutectic {

/** Sums over the same range whose terms have a costly part in common, as the sum of weights and that of what
 * is weighted have: Funcs, and a number that is the same for those that share_terms() takes together.
 *
 * No cost model is asked: the Func that holds the common part may be inlined again. Func and loops must be
 * nobody's but the planner's. */
std::vector<std::pair<int, int>> shared_terms(const Graph &graph, const Halide::Pipeline &pipeline);

}  // namespace eutectic
