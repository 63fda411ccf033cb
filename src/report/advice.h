#pragma once

#include <string>
#include <vector>

#include "fusion/rules/rule.h"

namespace eutectic {

/** Where the program as it is written stands in the way of fusion, and what to write instead: a sentence
 * each. Only where what is in memory for that reason takes at least a hundredth of the predicted time:
 *
 *  - a view that merges, splits or slices dimensions of a reduction before something pointwise reads it: the
 * reduction has no tile that is its reader's, and the rule that would put it there says so;
 *  - a transposed copy in memory of something that nothing else reads, and that could be defined transposed;
 *  - work behind a clamp, as of a wrapper that keeps coordinates inside an image and computes with what is
 * there, which several points of its reader need: it could be computed inside alone, and clamped behind.
 */
std::vector<std::string> advice(const Graph &graph, const Planned &planned, const Machine &machine);

}  // namespace eutectic
