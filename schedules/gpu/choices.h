#pragma once

#include "Halide.h"

#include "graph/data/graph.h"

namespace eutectic {

/** `graph` of `pipeline`, in which an index that is chosen by coordinates, as
 * BoundaryConditions::mirror_image() and repeat_image() do, may be anywhere: a graph has the side that is
 * likely, which is what nearly all points read, but Halide gives a block of threads all that either side may
 * need, and shared memory has a size that has to hold that. */
Graph with_choices_anywhere(Graph graph, const Halide::Pipeline &pipeline);

}  // namespace eutectic
