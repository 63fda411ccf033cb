#pragma once

#include "fusion/policies/cpu/register_tile.h"

namespace eutectic {

/** What a tile may read from a copy that is laid out in the order in which it does: a load by single loops of
 * its stage's, along the tile's vectors, which no row of the tile changes. */
struct PackableOperand {
    size_t load = 0;  ///< of the stage's loads
    DimId along = 0;  ///< the producer's dim that the tile's columns run along; 0: they lie side by side as
                      ///< they are, in rows that may be far apart
    DimMap by = {};   ///< each dim of the producer → the stage's dim that it is read by
};

/** Those of `work`, a stage whose dim `column` the tile's vectors run along, and of whose dim `row` it has
 * several points (< 0: of none). */
std::vector<PackableOperand> packable_operands(const Graph &graph, const StageWork &work, DimId column,
                                               DimId row);

/** Is there one whose columns lie side by side? */
bool any_in_rows(const std::vector<PackableOperand> &operands);

/** Where copies are made. */
struct PackPlace {
    std::optional<LoopRef> loop =
        std::nullopt;         ///< of what one turn of it reads; none: of everything, before anything else
    DimMap host = {};         ///< each dim of the stage that reads → the one of the loop's stage that moves
                              ///< it, or -1
    Extents points = {};      ///< of the former's dims, in one turn
    size_t host_dims = 0;     ///< that the loop's stage has
    size_t loops_around = 0;  ///< all around the copy
};

/** Packs what `stage`, computed by `reader`, would gather of its `operands`, and, if `rows`, what lies side
 * by side; the stage then reads the copies, made in vectors of `lanes`, which are added to `g`. */
void pack_operands(const GroupRequest &request, const std::vector<PackableOperand> &operands, bool rows,
                   FuncId reader, int64_t lanes, const PackPlace &place, SharedWork &stage, Group &g);

/** A tile of registers, as far as its operands need to know. */
struct PackedTile {
    const GroupRequest &request;
    const StageWork &work;  ///< of the Func that writes the tile
    const Loops &loops;     ///< its own: first one over tiles of each of its dims
    FuncId writer;
    const RegisterTile &tile;
};

/** The same of `stage`, which `reader` computes in the tile, with rows if the tile packs those: panels inside
 * the loop over tiles of columns, for all the rows, where that is outside; all of an operand before where it
 * is not. */
void pack_operands(const PackedTile &tile, FuncId reader, SharedWork &stage, Group &g);

/** Does `stage` read, for each row of tiles again, rows that panels could hold? */
bool reads_rows_again(const GroupRequest &request, const StageWork &writer, const RegisterTile &tile,
                      const StageWork &stage);

}  // namespace eutectic
