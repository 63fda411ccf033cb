#pragma once

#include "fusion/policies/policy.h"

namespace eutectic {

/** A tile of registers, as far as its operands need to know. */
struct PackedTile {
    const GroupRequest &request;
    const StageWork &work;  ///< of the Func that writes the tile
    const Loops &loops;     ///< its own, the first `outer_loops` of them around the tile
    FuncId writer;
    int outer_loops;
    int64_t lanes;         ///< of a vector, in points of the writer's innermost dim
    DimId row_dim;         ///< dim of the writer of which the tile has several points; 0: none
    bool columns_outside;  ///< the loop over tiles of columns is outside the one over tiles of rows
};

/** Packs each operand of `stage`, which `reader` computes in the tile, that the tile would gather along its
 * vectors and that no row of the tile changes; `stage` then reads the copies, which are added to `g`. */
void pack_operands(const PackedTile &tile, FuncId reader, NestedStage &stage, Group &g);

}  // namespace eutectic
