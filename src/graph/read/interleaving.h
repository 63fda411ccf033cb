#pragma once

#include "Halide.h"
#include "graph/data/graph.h"

namespace eutectic {

/** How the points of the caller's `buffer` lie, of which `required` are read or written at the estimates:
 * from the strides that its author has set (dim(0).set_stride(3), dim(2).set_stride(1)) or, where the first
 * dimension is dense, as always without such a word, and short, from its estimate. */
Interleaving interleaving_of(const Halide::Parameter &buffer, const Extents &required);

}  // namespace eutectic
