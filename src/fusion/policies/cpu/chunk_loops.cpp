#include "fusion/policies/cpu/chunk_loops.h"

#include <algorithm>
#include <numeric>

namespace eutectic {

std::optional<ChunkedTile> chunked_tile(const GroupRequest &q, const Tiled &tiled) {
    const Group &group = tiled.group;
    const RegisterTile &tile = tiled.tile;
    const FuncId sum = q.tiled.empty() ? q.root : q.tiled.front();
    if (!q.graph.may_reorder(q.graph.last_stage(sum)) || q.tiled.size() > 1 || tile.row_dim == 0 ||
        tile.rows == 1 || tile.lanes == 1 || tile.terms > 1) {
        return std::nullopt;
    }
    const TreeFunc &writer = group.tree.funcs()[0], &reduction = group.tree.funcs()[1];
    ChunkedTile base{group,
                     tile,
                     writer.func,
                     reduction.func,
                     writer.stages.front(),
                     reduction.stages.front(),
                     reduction.stages.back(),
                     stage_work(q.graph, q.graph.funcs[sum].stages.back(), q.inlined),
                     {},
                     {}};
    if (base.update.dims.size() == base.init.dims.size() || base.write.whole.size() < 2) {
        return std::nullopt;
    }
    const DimId column = reduction.position[0], row = reduction.position[tile.row_dim];
    base.operands = packable_operands(q.graph, base.work, column, row);
    base.multipliers = packable_operands(q.graph, base.work, row, column);
    // Where terms lie side by side, a tile walks along as many lines as it has rows, and needs no copy.
    base.multipliers.erase(std::remove_if(base.multipliers.begin(), base.multipliers.end(),
                                          [](const PackableOperand &o) { return o.along != 0; }),
                           base.multipliers.end());
    return base;
}

/** Dims of the writer beside the tile's, outermost first. */
std::vector<DimId> ChunkLoops::others() const {
    std::vector<DimId> dims;
    for (DimId d = base_.write.dims.next_id() - 1; d > 0; d--) {
        if (d != base_.tile.row_dim) {
            dims.push_back(d);
        }
    }
    return dims;
}

/** Loops of the writer around a block. */
size_t ChunkLoops::outer_loops(const ChunkBlocks &b) const {
    return base_.write.dims.size() - (b.others_inside ? others().size() : 0);
}

/** Loops over chunks, of each point of the reduction dims outside the one that is cut. */
int ChunkLoops::chunk_loops(const ChunkBlocks &b) const {
    return base_.update.dims.next_id() - b.cut;
}

DimId ChunkLoops::row() const {
    return map_[base_.tile.row_dim];
}
DimId ChunkLoops::column() const {
    return map_[0];
}

Nest ChunkLoops::writer_nest(const ChunkBlocks &b) const {
    Nest nest;
    std::vector<std::pair<DimId, int64_t>> order;
    for (const DimId d : b.others_inside ? std::vector<DimId>() : others()) {
        order.emplace_back(d, 1);
    }
    order.emplace_back(b.columns_outside ? DimId(0) : base_.tile.row_dim,
                       b.columns_outside ? b.columns : b.rows);
    order.emplace_back(b.columns_outside ? base_.tile.row_dim : DimId(0),
                       b.columns_outside ? b.rows : b.columns);
    for (const auto &[d, size] : order) {
        const bool parallel = static_cast<int>(nest.loops.size()) < b.parallel_loops;
        nest.loops.split(d, size, parallel ? Loop::Kind::parallel : Loop::Kind::serial);
    }
    for (const DimId d : b.others_inside ? others() : std::vector<DimId>()) {
        nest.loops.split(d, 1);
    }
    nest.loops.split(base_.tile.row_dim, 1);
    nest.loops.split(0, base_.tile.lanes);
    nest.loops.vectorize(0);
    nest.whole = {whole_tiles(base_.write.dims[0], b.columns),
                  whole_tiles(base_.write.dims[base_.tile.row_dim], b.rows)};
    if (base_.tile.panels) {
        begin_at_panels(nest, base_.write.dims[0], base_.tile.columns());
    }
    return nest;
}

void ChunkLoops::push_tile(Loops &loops) const {
    if (base_.tile.rows > 1) {
        loops.unroll(row());
    }
    if (base_.tile.vectors > 1) {
        loops.unroll(column(), base_.tile.lanes);
    }
    loops.vectorize(column());
}

/** The Func of the algorithm that is summed up. */
FuncId ChunkLoops::summed() const {
    return base_.work.func;
}

Group ChunkLoops::group(const ChunkBlocks &b, Seconds limit) const {
    Group g;
    g.root = q_.root;
    g.policy = "cache_block";
    for (const Added &a : base_.group.added) {
        if (a.kind != Added::Kind::pack) {
            g.added.push_back(a);
        }
    }
    const FuncId part = q_.made("lanes", summed());
    const bool free = q_.graph.last_stage(summed()).order_free;
    g.added.push_back(Added::partial("lanes", part, base_.reduction, b.cut, b.chunk,
                                     free ? Grade::exact : Grade::reassociating, true));
    for (DimId d = b.cut + 1; d < base_.update.dims.next_id(); d++) {
        g.added.back().each.push_back(d);
    }
    const Nest writer = writer_nest(b);
    NestedStage write = *base_.write.priced;
    write.local.clear();
    g.tree.add_at_root(base_.writer);
    g.tree.add_stage(base_.writer, -1, base_.write.dims, writer.loops, writer.whole, write);
    g.tree.add_in_loop(base_.reduction, {base_.writer, -1, static_cast<int>(outer_loops(b)) - 1}, map_);
    add_block_stages(b, g.tree);
    add_chunk_stages(b, part, g);
    for (const TreeFunc &f : base_.group.tree.funcs()) {
        if (f.func == q_.root && f.func != base_.writer && f.func != base_.reduction) {
            g.tree.add_at_root(f.func).stages = f.stages;  // the pass over an output, as it is
        }
    }
    g.cost = price(g.tree, q_.machine, limit);
    return g;
}

/** Loops of the update around a tile: chunks, what else is inside them, columns of tiles, tiles. */
int ChunkLoops::around_tile(const ChunkBlocks &b) const {
    return chunk_loops(b) + (b.others_inside ? static_cast<int>(others().size()) : 0) + 2;
}

/** c = 0 over the block; c += chunk, tile by tile. */
void ChunkLoops::add_block_stages(const ChunkBlocks &b, LoopTree &tree) const {
    Loops init;
    push_others(b, init);
    init.split(row(), 1);
    init.split(column(), base_.tile.lanes);
    init.vectorize(column());
    tree.add_stage(base_.reduction, -1, base_.init.dims, init);

    Dims dims = base_.init.dims;
    dims.push_back({"u", (base_.update.dims[b.cut].extent + b.chunk - 1) / b.chunk, true, std::nullopt});
    dims.insert(dims.end(), base_.update.dims.begin() + b.cut + 1, base_.update.dims.end());
    Loops update;
    for (DimId d = dims.next_id() - 1; d >= pure_; d--) {
        update.split(d, 1);
    }
    push_others(b, update);
    update.split(column(), base_.tile.columns());
    update.split(row(), base_.tile.rows);
    push_tile(update);
    const StageWork work = addition_work(summed(), dims, base_.work.element_bytes);
    tree.add_stage(base_.reduction, update, {}, {work});
}

void ChunkLoops::push_others(const ChunkBlocks &b, Loops &loops) const {
    for (const DimId d : b.others_inside ? others() : std::vector<DimId>()) {
        loops.split(map_[d], 1);
    }
}

void ChunkLoops::add_chunk_stages(const ChunkBlocks &b, FuncId part, Group &g) const {
    StageWork work = split_reduction(base_.work, pure_, b.cut, b.chunk, true);
    for (int i = 1; i < chunk_loops(b); i++) {
        work = keep_apart(work, pure_ + i, b.cut + 1 + i);
    }
    NestedStage terms{work, {}, {}, true, true};
    pack(b, part, g, terms.work);
    DimMap position(work.dims.size());  // as in the update: its own dims, then the chunks'
    std::iota(position.begin(), position.end(), 0);
    g.tree.add_in_loop(part, {base_.reduction, 0, around_tile(b) - 1}, position);
    Loops tile, loops;
    push_tile(tile);
    for (DimId d = work.dims.next_id() - 1; d >= 0 && work.dims[d].reduction; d--) {
        loops.split(d, 1);
    }
    push_tile(loops);
    g.tree.add_stage(part, -1, work.dims, tile);
    g.tree.add_stage(part, 0, work.dims, loops, {}, std::move(terms));
}

/** Panels of a chunk, for all tiles of one column of them, which `part` sums up. */
void ChunkLoops::pack(const ChunkBlocks &b, FuncId part, Group &g, SharedWork &work) const {
    const int column_loop = around_tile(b) - 2;
    const Dims &dims = base_.work.dims;
    PackPlace place{LoopRef{base_.reduction, 0, column_loop}, DimMap(dims.size(), -1),
                    Extents(dims.size(), 1), static_cast<size_t>(pure_ + chunk_loops(b)),
                    outer_loops(b) + column_loop + 1};
    for (const DimId d : dims.ids()) {
        const bool inside = d >= pure_ && d < b.cut;  // of each chunk
        place.host[d] = inside ? DimId(-1) : d < pure_ ? d : DimId(pure_ + (d - b.cut));
        place.points[d] = inside ? dims[d].extent : 1;
    }
    place.points[column()] = base_.tile.columns();
    place.points[b.cut] = b.chunk;
    RegisterTile tile = base_.tile;
    tile.packs_rows = b.packs_rows;
    pack_operands(q_, base_.operands, tile, part, place, work, g);
    if (b.packs_multipliers) {
        place.loop = LoopRef{base_.reduction, 0, column_loop - 1};
        place.loops_around--;
        place.points[column()] = 1;
        place.points[row()] = b.rows;
        pack_multipliers(q_, base_.multipliers, tile, part, place, work, g);
    }
}

}  // namespace eutectic
