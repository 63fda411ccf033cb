#pragma once

#include <utility>
#include <vector>

#include "Halide.h"

#include "graph/data/graph.h"
#include "machine/machine.h"

namespace eutectic {

/** Reductions of Tuples, and in how many lanes reduce_in_lanes() is to make them: results of their own for
 * terms that lie as far apart, which are merged at the end. Tuples have no loops of their own among the
 * policies: Halide (21) proves only some of them associative (of the largest value and its place that of
 * value >= best, not that of value > best), and where it does, it merges equal values in any order.
 *
 * On CPUs two vectors of lanes, for terms that lie side by side in memory and many as lanes; for each core
 * so many where there are fewer rows than cores. On GPUs a block of threads a row, and more where there are
 * fewer rows than multiprocessors. Not where that would change bits that may not change. Whether everything
 * is faster so, prices say. */
std::vector<std::pair<int, int>> tuples_in_lanes(const Graph &graph, const Halide::Pipeline &pipeline,
                                                 const Machine &machine);

}  // namespace eutectic
