#pragma once

// What register_tile.cpp finds, and cache_block.cpp blocks.

#include <optional>
#include <vector>

#include "fusion/policies/policy.h"

namespace eutectic {

/** A tile of the writer that accumulates in registers, and the order of the loops around it. */
struct RegisterTile {
    DimId row_dim = 0;  ///< dim of the writer that is unrolled; 0: none, a tile of one row
    int64_t rows = 1;
    int64_t lanes = 1;
    int64_t vectors = 1;
    bool columns_outside = true;  ///< loop over column tiles outside the loop over row tiles
    int parallel_loops = 0;       ///< how many of the outermost loops are parallel
    bool window = false;          ///< the reduction, over a small window, is unrolled
    bool packs_rows = false;      ///< what lies side by side in rows far apart is packed, too
    bool panels = false;          ///< an operand comes in panels of its columns
    int64_t terms = 1;  ///< neighbours along the summed dim that one instruction sums up for each lane

    int64_t columns() const {
        return lanes * vectors;
    }
    /** Points along dim `d` of the writer. */
    int64_t step(DimId d) const {
        return d == 0 ? columns() : d == row_dim ? rows : 1;
    }
};

/** A group of register_tile.cpp's: in its tree the writer, then the first of the reductions in its tile. */
struct Tiled {
    Group group;
    RegisterTile tile;
};

/** Has dim `d` of what writes the tile the same number of points at every size, as all `reductions` have? */
bool is_constant(const Graph &graph, const StageWork &writer, const std::vector<FuncId> &reductions, DimId d);

/** Of each point of a tile: those of Tuples are several. */
int64_t accumulated_values(const Graph &graph, const std::vector<FuncId> &reductions);

/** The tiles that arithmetic alone would choose, the best first: worth a look in chunks, whose operands are
 * near whatever the tile is. */
class ChunkCandidates {
public:
    void add(const Tiled &found);
    /** Those with other loops than `tiled`. */
    std::vector<Tiled> beside(const Tiled &tiled) const;

private:
    /** Prices of the first few differ by less than what blocks make of them. Chosen, not measured: of
     * products of 2,048 the second is the best in chunks, by an eighth. */
    static constexpr size_t most = 4;
    std::vector<Tiled> tiles_;  ///< each tile once, in the order of its loops that takes least
};

/** What Func::in() around `f` does, in f's own loops. */
StageWork write_tile_of(const Graph &graph, FuncId f);

/** The price of `g`, whose price is of no interest from `limit` on. Blocks share the copies that are made
 * before all of them. */
Cost price_in_blocks(const GroupRequest &request, const Group &g, Seconds limit);

/** The points in a tile of a reduction with so many dims. Of a tile whose size no version tests, Halide (21)
 * does not always find out how many there are at most: its accumulators are then allocated, tile by tile, on
 * the heap. (Rows of a resampled image: 295,000 allocations, 13 of 33 ms.) `map`: as below. */
Extents points_in_tile(const RegisterTile &tile, const DimMap &map, size_t dims);

/** The writer divides what a reduction has summed up; the reduction's `pure` definition, which stands for
 * that work, only initializes. `map`: which dim of the reduction each of the writer's is, or -1. */
void divide_in_writer(const DimMap &map, StageWork &pure, StageWork &writer);

/** The one of `tiles`, which were found for the same request, that promises most, with a long reduction cut
 * into chunks (rfactor), so that what tiles read again stays in cache; nothing where it has no chunks that
 * are faster than `request.limit`. Reassociates. */
std::optional<Group> cache_block(const GroupRequest &request, const std::vector<Tiled> &tiles);

}  // namespace eutectic
