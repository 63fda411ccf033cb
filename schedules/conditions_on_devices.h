#pragma once

#include <utility>
#include <vector>

#include "Halide.h"

#include "graph/data/graph.h"
#include "machine/machine.h"

namespace eutectic {

/** Updates behind a condition that reads data, at other places for every dim that threads could share, as
 * Funcs of Pipeline::get_func() and numbers of updates. On a GPU they become choices of values
 * (choose_by_condition()): of a condition, Halide (21) asks for what all of a block would read, the last one,
 * too, which a caller's buffer does not have. */
std::vector<std::pair<int, int>> conditions_on_devices(const Graph &graph, const Halide::Pipeline &pipeline,
                                                       const Machine &machine);

}  // namespace eutectic
