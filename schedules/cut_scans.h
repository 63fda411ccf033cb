#pragma once

#include <utility>
#include <vector>

#include "Halide.h"

#include "graph/data/graph.h"
#include "machine/machine.h"

namespace eutectic {

/** Funcs that scan where few other points are beside each other, and in pieces of how many points cut_scans()
 * is to cut them: each task scans some, what comes before each piece is scanned in turn, and one pass adds
 * both (Blelloch, Prefix sums and their applications, 1990, section 1.3).
 *
 * No cost model is asked, since the Funcs that are made are two more for the planner to place: on CPUs the
 * other dimensions have to make fewer tasks than there are cores, and the scan to wait for its additions
 * longer than starting the tasks takes; on GPUs, where a thread goes along each piece, loads one after the
 * other have to take longer than in pieces of 64, two more kernels and another pass over memory included. Not
 * where that would change bits that may not change. */
std::vector<std::pair<int, int>> scans_to_cut(const Graph &graph, const Halide::Pipeline &pipeline,
                                              const Machine &machine);

}  // namespace eutectic
