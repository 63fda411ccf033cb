#pragma once

#include <cstdint>

#include "graph/data/graph.h"

namespace eutectic::test {

/** A pipeline of up to `most` operations on images and matrices: points, stencils as several loads beside
 *  each other (of rows, columns or both), resampling by 2, values of each row or column read by points
 *  (broadcasts), sums, products, quotients by what a row shares, with the patterns of their rewrites; some of
 *  what is read is an output, too. */
Graph random_small_graph(uint64_t seed, int most = 7);

}  // namespace eutectic::test
