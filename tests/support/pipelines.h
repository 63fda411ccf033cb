#pragma once

#include <string>
#include <vector>

#include "Halide.h"

#include "graph/data/graph.h"

namespace eutectic::test {

/** The graph of a pipeline with these outputs, with the patterns of rewrites. */
Graph graph_of(const std::vector<Halide::Func> &outputs);

/** A float32 input with estimates from 0, innermost first. */
Halide::ImageParam image(const std::string &name, const Table<DimId, int> &extents,
                         Halide::Type type = Halide::Float(32));

/** Sets the estimates of an output, from 0. */
void estimate(Halide::Func f, const Table<DimId, int> &extents);

}  // namespace eutectic::test
