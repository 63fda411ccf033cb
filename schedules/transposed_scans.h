#pragma once

#include <utility>
#include <vector>

#include "graph/data/graph.h"
#include "machine/machine.h"

namespace eutectic {

/** Funcs whose updates go along rows, f(r, y) = ... f(r - 1, y) ..., and which argument is to come first, as
 * transpose_scans() takes them.
 *
 * Points of a row depend on each other, those of a column do not. But these lie far apart: as vectors they
 * are gathered, and in turn, each in a line of its own. Where f is stored with y first, vectors lie along y,
 * and one more pass writes f. That pass knows no dependence and may have the scan in blocks of it.
 *
 * The updates have to write half of f's points, or more, and of the argument a cache line's worth has to be
 * there. Whether a row, point by point, is not as fast, prices tell: they are asked with each of these and
 * without (Preparation::priced). */
std::vector<std::pair<int, int>> scans_along_rows(const Graph &graph, const Machine &machine);

}  // namespace eutectic
