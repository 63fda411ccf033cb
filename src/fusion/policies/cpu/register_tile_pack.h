#pragma once

#include "fusion/policies/cpu/register_tile.h"

namespace eutectic {

/** What a tile may read from a copy that is laid out in the order in which it does: a load each of whose
 * indices one loop of its stage's moves, or none, along the tile's vectors, which no row of the tile changes.
 */
struct PackableOperand {
    size_t load = 0;  ///< of the stage's loads
    DimId along = 0;  ///< the producer's dim that the tile's columns run along; 0: they lie side by side as
                      ///< they are, in rows that may be far apart
    DimMap by = {};   ///< each dim of the producer → the stage's dim that it is read by; -1: by none
};

/** Those of `work`, a stage whose dim `column` the tile's vectors run along, and of whose dim `row` it has
 * several points (< 0: of none). With the two dims exchanged: what each row of the tile is multiplied by, one
 * number for all of its columns. */
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

/** Packs what `stage`, computed by `reader`, would gather of its `operands`, and, if `tile` packs rows, what
 * lies side by side; the stage then reads the copies, made in vectors of its lanes, which are added to `g`.
 * Of what callers hand over in panels it reads those. */
void pack_operands(const GroupRequest &request, const std::vector<PackableOperand> &operands,
                   const RegisterTile &tile, FuncId reader, const PackPlace &place, SharedWork &stage,
                   Group &g);

/** Copies what `stage` reads for each row of a tile, so that the rows that follow each other lie side by
 * side, in lines that are no further apart than the rows are many: of a whole matrix they may be a power of
 * two apart, and all in a few sets of the first level. */
void pack_multipliers(const GroupRequest &request, const std::vector<PackableOperand> &multipliers,
                      const RegisterTile &tile, FuncId reader, const PackPlace &place, SharedWork &stage,
                      Group &g);

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

/** Does a caller hand over `input` in panels? Blocks of other Funcs' loops begin anywhere, and read none. */
bool in_panels(const GroupRequest &request, FuncId input);

/** The same of what one of `stages` reads. */
bool reads_panels(const GroupRequest &request, const std::vector<SharedWork> &stages);

/** Why a reduction that has tiles has none that do as pins want, as what follows the policy's name. */
std::string no_tile(const GroupRequest &request);

/** `stage`, computed by `reader`, reads `operand` in panels as wide as `tile`. */
void read_panels(const GroupRequest &request, const PackableOperand &operand, const RegisterTile &tile,
                 FuncId reader, StageWork &stage, Group &g);

/** The loops of what writes tiles of panels of `columns` points of its first dim, `dim`: each tile begins
 * where a panel does, the last one as well, which is cut short where it is written. Such tiles are in a
 * version for outputs that begin at a panel, too. */
void begin_at_panels(Nest &nest, const Dim &dim, int64_t columns);

/** Does a tile at an edge read nothing beyond its ends but panels, which are whole? `stages`: of a reduction
 * whose dim `column` the tile's vectors run along. */
bool reads_whole_panels(const GroupRequest &request, const std::vector<SharedWork> &stages, DimId column);

}  // namespace eutectic
