#pragma once

#include "fusion/policies/cpu/register_tile_pack.h"

namespace eutectic {

/** The stages of a register tile that is to be cut into chunks. */
struct ChunkedTile {
    const Group &group;
    const RegisterTile &tile;
    FuncId writer, reduction;
    const TreeStage &write, &init, &update;
    StageWork work;  ///< of the update, with operands as they are
    std::vector<PackableOperand> operands, multipliers;
};

/** Blocks of such a tile, and in which order their loops are. */
struct ChunkBlocks {
    int64_t rows, columns;
    DimId cut;      ///< the reduction dim that is cut into chunks
    int64_t chunk;  ///< of so many of its points
    bool others_inside;
    bool columns_outside;
    int parallel_loops;
    bool packs_rows;                 ///< as of the tile
    bool packs_multipliers = false;  ///< what each row of a tile is multiplied by comes from a copy
};

/** What there is to be cut into chunks; nothing where a tile is not for that. */
std::optional<ChunkedTile> chunked_tile(const GroupRequest &request, const Tiled &tiled);

/** The loops of cache_block.cpp. */
class ChunkLoops {
public:
    ChunkLoops(const GroupRequest &request, ChunkedTile base)
        : q_(request),
          base_(std::move(base)),
          map_(base_.group.tree.at(base_.reduction).position),
          pure_(base_.init.dims.next_id()) {
    }

    /** The group of `blocks`, whose price is of no interest from `limit` on. */
    Group group(const ChunkBlocks &blocks, Seconds limit) const;

    const ChunkedTile &base() const {
        return base_;
    }
    /** The first of the dims that are summed up. */
    DimId first_summed() const {
        return pure_;
    }

private:
    const GroupRequest &q_;
    ChunkedTile base_;
    DimMap map_;  // writer dim → dim of the reduction
    DimId pure_;

    std::vector<DimId> others() const;
    size_t outer_loops(const ChunkBlocks &b) const;
    int chunk_loops(const ChunkBlocks &b) const;
    int around_tile(const ChunkBlocks &b) const;
    DimId row() const;
    DimId column() const;
    FuncId summed() const;
    Nest writer_nest(const ChunkBlocks &b) const;
    void push_tile(Loops &loops) const;
    void push_others(const ChunkBlocks &b, Loops &loops) const;
    void add_block_stages(const ChunkBlocks &b, LoopTree &tree) const;
    void add_chunk_stages(const ChunkBlocks &b, FuncId part, Group &g) const;
    void pack(const ChunkBlocks &b, FuncId part, Group &g, SharedWork &work) const;
};

}  // namespace eutectic
