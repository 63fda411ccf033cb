#pragma once

// What the policies share whose warps sum up rows lane by lane (in_warps.cpp).

#include <optional>
#include <vector>

#include "fusion/policies/gpu/gpu.h"

namespace eutectic {

/** How warps are made for the rows of a block. */
struct WarpShape {
    int64_t warps = 1;  ///< of a row
    int64_t rows = 1;   ///< of a block; several only where each has one warp
};

/** Those that are worth a price for the rows of the request's root. */
std::vector<WarpShape> warp_shapes(const GroupRequest &request);

/** The kernel of one shape; nothing when a block has no room for it, or a sum's terms need what a lane cannot
 * compute for itself. */
std::optional<Group> warps_kernel(const Blocks &blocks, const WarpShape &shape,
                                  const std::vector<RegisterRow> &register_rows);

/** `to`, like `like`, over `dims`, of which the last goes over its partial results `from`. */
StageWork sum_of_partials(const FuncInfo &like, FuncId to, FuncId from, const Dims &dims);

/** Are there rows of the root, a pure Func, along its first dim, and is something computed in their blocks,
 * nothing of which a mask of the root leaves aside? */
bool has_rows(const Blocks &blocks);

/** Has this Func of the block one value for each row, a sum or made of sums of one dim whose terms may be
 * reordered? `row`: the root's dim along the row; -1: the root has one value for each, too. */
bool belongs_to_row(const Blocks &blocks, const Inside &inside, FuncId f, DimId row = 0);

/** Does it read a Func of the block only where a choice may leave it aside? */
bool chosen_member(const Blocks &blocks, const StageWork &work);

}  // namespace eutectic
