#pragma once

#include <utility>
#include <vector>

#include "Halide.h"

#include "graph/data/graph.h"

namespace eutectic {

/** Updates, as Func and number, that add at places which are known: f(r / 2) += ..., f(clamp(r, 0, 9)) +=
 * .... The terms of one point lie beside each other there, and gather_segments() makes loops over points of
 * them, which need not wait for each other, with loops over their terms inside.
 *
 * No cost model is asked: nothing is computed more than once, no bit changes, and what is left at the ends
 * stays as it is. Func and loops must be nobody's but the planner's. */
std::vector<std::pair<int, int>> known_segments(const Graph &graph, const Halide::Pipeline &pipeline);

}  // namespace eutectic
