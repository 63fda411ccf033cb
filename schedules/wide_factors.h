#pragma once

#include <utility>
#include <vector>

#include "Halide.h"

#include "graph/data/graph.h"

namespace eutectic {

/** Updates, as Func and number, that multiply 16-bit floats as 32-bit ones, each several times: they are
 * stored so, and are computed with so where that is widened for each product. widen_factors() makes Funcs of
 * what is widened.
 *
 * No cost model is asked, since the planner places these Funcs: inlined, the program is what it was. No bit
 * changes. Loops must be nobody's but the planner's. */
std::vector<std::pair<int, int>> wide_factors(const Graph &graph, const Halide::Pipeline &pipeline);

}  // namespace eutectic
