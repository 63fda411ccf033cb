#pragma once

#include "Halide.h"

#include "graph/data/graph.h"

namespace eutectic {

/** `graph` of `pipeline`, in which an index may be anywhere whose reach a block of threads cannot count on,
 * as shared memory has a size that has to hold it at every call:
 *  - one that is chosen by coordinates, as BoundaryConditions::mirror_image() and repeat_image() do. A graph
 * has the side that is likely, which is what nearly all points read; Halide gives a block all that either may
 *    need.
 *  - multiples, quotients and remainders by sizes of buffers or parameters, and loads that lie such a number
 *    apart: a graph has what they are at the estimates. */
Graph with_uncertain_reach_anywhere(Graph graph, const Halide::Pipeline &pipeline);

}  // namespace eutectic
