#pragma once

#include <optional>
#include <vector>

#include "fusion/policies/policy.h"

namespace eutectic {

/** The loops of `nest`, the innermost of which is a vector's, with that over the single points of `dim` just
 * outside the lanes, `points` of them at a time (0: all): what does not depend on it is computed once for all
 * of them. Nothing where it has no such loop. */
std::optional<Nest> with_inside(const Nest &nest, DimId dim, int64_t points);

/** Does `work` load what lies across the rows along dim 0, so that neighbours in memory belong to other rows?
 */
bool reads_across_rows(const StageWork &work, const Machine &machine);

/** `nest` of `work`, with vectors along dim 0, for loads whose neighbours in memory belong to other rows (the
 * other operand of x(i, j) + y(j, i)): as many rows as lie in one of their cache lines, one after the other
 * inside the loop from vector to vector, so that a line that comes in serves all of them. One nest for each
 * dim that there are such loads of; none where its loops cannot be put so. */
std::vector<Nest> with_rows_inside(const StageWork &work, const Nest &nest, const Machine &machine);

/** The loads of `work`, the request's root in `nest`, that lie across the rows read copies of theirs in the
 * order of the rows instead, made by vectors of `lanes` inside the loop from vector to vector for all rows in
 * it, and added to `g`: each line of what is read, and of what is written, is then touched once, whatever
 * else shares its set. False where that loop has one row inside, or nothing can be copied so. */
bool copy_turned(const GroupRequest &request, const Nest &nest, int64_t lanes, SharedWork &work, Group &g);

/** `nest` of `work`, with vectors along dim 0, for loads that put lanes together one by one and have the same
 * in every row along some dim (statistics(x / 8) of a group of channels): all rows of it inside the loop from
 * vector to vector, which keeps them. One nest for each such dim, and one with all of them inside. */
std::vector<Nest> with_lanes_kept(const StageWork &work, const Nest &nest);

}  // namespace eutectic
