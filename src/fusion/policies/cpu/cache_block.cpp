// c(j, i) += a(k, i) * b(j, k), k long
//   →   blocks of c; inside a block, k in chunks (rfactor); inside a chunk, register tiles whose
//   accumulators run over the chunk and are
//       then added to the block. What a column of tiles reads of b in a chunk is packed once for all of them,
//       where its rows lie apart and that costs less, or where its columns do.
//
// The chunk of b that a column of tiles reads again and again stays in cache; a whole column of a long k
// would not. The register tile is the one that register_tile chose. A sum over several variables (the
// gradient of a convolution's weights: columns, rows and images) has its chunks along one of them; each point
// of those outside it has chunks of its own, and a chunk goes over all of those inside. Dims beside the
// tile's two (the window) are outside the chunks, or inside where all that they read is then read once. Sums
// are formed chunk by chunk, hence the grade.

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "fusion/policies/cpu/register_tile_pack.h"

namespace eutectic {

namespace {

/** The stages of a register tile. */
struct Base {
    const Group &group;
    const RegisterTile &tile;
    FuncId writer, reduction;
    const TreeStage &write, &init, &update;
    StageWork work;  ///< of the update, with operands as they are
    std::vector<PackableOperand> operands;
};

struct Blocks {
    int64_t rows, columns;
    DimId cut;      ///< the reduction dim that is cut into chunks
    int64_t chunk;  ///< of so many of its points
    bool others_inside;
    bool columns_outside;
    int parallel_loops;
    bool packs_rows;  ///< as of the tile
};

class Search {
public:
    Search(const GroupRequest &q, const Base &base)
        : q_(q),
          base_(base),
          map_(base.group.tree.at(base.reduction).position),
          pure_(base_.init.dims.next_id()) {
    }

    /** Of a block of a few tiles and the smallest chunks; infinite where there is none. */
    Seconds sample() const {
        const int64_t chunk = 128;  // the first of those that run() tries, inside the innermost dim
        const DimId cut = pure_;
        for (const int64_t tiles : {4, 2, 1}) {
            const int64_t rows = base_.tile.rows * tiles, columns = base_.tile.columns() * tiles;
            if (rows <= base_.write.dims[base_.tile.row_dim].extent &&
                columns <= base_.write.dims[0].extent) {
                return build({rows, columns, cut, std::min(chunk, base_.update.dims[cut].extent), false, true,
                              q_.machine.cores > 1 ? 2 : 0, false})
                    .cost.total();
            }
        }
        return std::numeric_limits<double>::infinity();
    }

    std::optional<Group> run() {
        const bool others = base_.write.dims.size() > 2;
        int64_t inside = 1;  // terms of all reduction dims inside the one that is cut
        for (DimId cut = pure_; cut < base_.update.dims.next_id(); cut++) {
            const int64_t k = base_.update.dims[cut].extent;
            // What is tried, not what is decided: powers of two up to 2048 terms, which of 64 columns
            // of floats are half a MiB, half of a usual second level. Chosen, not measured.
            for (const int64_t terms : {128, 256, 512, 1024, 2048}) {
                const int64_t chunk = terms / inside;
                for (const bool others_inside : {false, true}) {
                    if (chunk >= 1 && 2 * chunk <= k && (others || !others_inside)) {
                        try_blocks(cut, chunk, others_inside);
                    }
                }
            }
            inside *= k;
        }
        // What moves into and out of the caches follows from the sizes far more than from the order of the
        // loops: only the best sizes are tried in all orders.
        const size_t kept = std::min(sizes_.size(), most_sizes);
        std::partial_sort(sizes_.begin(), sizes_.begin() + static_cast<std::ptrdiff_t>(kept), sizes_.end(),
                          [](const auto &a, const auto &b) { return a.first < b.first; });
        sizes_.resize(kept);
        for (const auto &[seconds, blocks] : sizes_) {
            try_orders(blocks);
        }
        return best_;
    }

private:
    const GroupRequest &q_;
    Base base_;
    DimMap map_;  // writer dim → dim of the reduction
    DimId pure_;
    std::vector<std::pair<Seconds, Blocks>> sizes_;  // with their price in one order of the loops
    std::optional<Group> best_;

    /** Sizes (of tiles) that are tried in all orders. With twice as many no generator has another plan. */
    static constexpr size_t most_sizes = 12;

    void try_blocks(DimId cut, int64_t chunk, bool others_inside) {
        const Dims &dims = base_.write.dims;
        const int64_t most_rows = dims[base_.tile.row_dim].extent;
        for (const int64_t row_tiles : {1, 2, 4, 8, 16, 32}) {
            for (const int64_t column_tiles : {1, 2, 4, 8}) {
                if (base_.tile.rows * row_tiles > most_rows ||
                    base_.tile.columns() * column_tiles > dims[0].extent) {
                    continue;
                }
                const int64_t rows = evenly(most_rows, base_.tile.rows, row_tiles),
                              columns = evenly(dims[0].extent, base_.tile.columns(), column_tiles);
                const Blocks blocks{
                    rows, columns, cut, chunk, others_inside, true, q_.machine.cores > 1 ? 2 : 0, false};
                try_size(blocks);
                if (row_tiles > 1 && any_in_rows(base_.operands)) {
                    try_size(packing_rows(blocks));
                }
            }
        }
    }

    /** Points of a block of at most so many tiles: as few as as many blocks need for all points. The last of
     * them is moved inwards, and computes again what the one before it has. */
    static int64_t evenly(int64_t points, int64_t tile, int64_t most_tiles) {
        const int64_t blocks = (points + tile * most_tiles - 1) / (tile * most_tiles);
        return ((points + blocks - 1) / blocks + tile - 1) / tile * tile;
    }

    static Blocks packing_rows(Blocks blocks) {
        blocks.packs_rows = true;
        return blocks;
    }

    void try_size(const Blocks &blocks) {
        const Seconds seconds = build(blocks).cost.total();
        if (std::isfinite(seconds)) {
            sizes_.emplace_back(seconds, blocks);
        }
    }

    void try_orders(Blocks blocks) {
        for (const bool columns_outside : {true, false}) {
            for (const int parallel_loops :
                 q_.machine.cores > 1 ? std::vector<int>{1, 2} : std::vector<int>{0}) {
                blocks.columns_outside = columns_outside;
                blocks.parallel_loops = parallel_loops;
                Group group = build(blocks);
                if (in_pinned_loops(q_.pins, group)) {
                    q_.consider(group);
                    best_ = cheaper(std::move(best_), std::move(group));
                }
            }
        }
    }

    /** Dims of the writer beside the tile's, outermost first. */
    std::vector<DimId> others() const {
        std::vector<DimId> dims;
        for (DimId d = base_.write.dims.next_id() - 1; d > 0; d--) {
            if (d != base_.tile.row_dim) {
                dims.push_back(d);
            }
        }
        return dims;
    }

    /** Loops of the writer around a block. */
    size_t outer_loops(const Blocks &b) const {
        return base_.write.dims.size() - (b.others_inside ? others().size() : 0);
    }

    /** Loops over chunks, of each point of the reduction dims outside the one that is cut. */
    int chunk_loops(const Blocks &b) const {
        return base_.update.dims.next_id() - b.cut;
    }

    DimId row() const {
        return map_[base_.tile.row_dim];
    }
    DimId column() const {
        return map_[0];
    }

    Nest writer_nest(const Blocks &b) const {
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

    void push_tile(Loops &loops) const {
        if (base_.tile.rows > 1) {
            loops.unroll(row());
        }
        if (base_.tile.vectors > 1) {
            loops.unroll(column(), base_.tile.lanes);
        }
        loops.vectorize(column());
    }

    /** The Func of the algorithm that is summed up. */
    FuncId summed() const {
        return base_.work.func;
    }

    Group build(const Blocks &b) const {
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
        const Seconds limit = best_ ? std::min(q_.limit, best_->cost.total()) : q_.limit;
        g.cost = price(g.tree, q_.machine, q_.considered ? std::numeric_limits<Seconds>::infinity() : limit);
        return g;
    }

    /** Loops of the update around a tile: chunks, what else is inside them, columns of tiles, tiles. */
    int around_tile(const Blocks &b) const {
        return chunk_loops(b) + (b.others_inside ? static_cast<int>(others().size()) : 0) + 2;
    }

    /** c = 0 over the block; c += chunk, tile by tile. */
    void add_block_stages(const Blocks &b, LoopTree &tree) const {
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

    void push_others(const Blocks &b, Loops &loops) const {
        for (const DimId d : b.others_inside ? others() : std::vector<DimId>()) {
            loops.split(map_[d], 1);
        }
    }

    void add_chunk_stages(const Blocks &b, FuncId part, Group &g) const {
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
    void pack(const Blocks &b, FuncId part, Group &g, SharedWork &work) const {
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
    }
};

/** What is there to be cut into chunks; nothing where a tile is not for that. */
std::optional<Base> base_of(const GroupRequest &q, const Tiled &tiled) {
    const Group &group = tiled.group;
    const RegisterTile &tile = tiled.tile;
    const FuncId sum = q.tiled.empty() ? q.root : q.tiled.front();
    if (!q.graph.may_reorder(q.graph.last_stage(sum)) || q.tiled.size() > 1 || tile.row_dim == 0 ||
        tile.rows == 1 || tile.lanes == 1 || tile.terms > 1) {
        return std::nullopt;
    }
    const TreeFunc &writer = group.tree.funcs()[0], &reduction = group.tree.funcs()[1];
    Base base{group,
              tile,
              writer.func,
              reduction.func,
              writer.stages.front(),
              reduction.stages.front(),
              reduction.stages.back(),
              stage_work(q.graph, q.graph.funcs[sum].stages.back(), q.inlined),
              {}};
    if (base.update.dims.size() == base.init.dims.size() || base.write.whole.size() < 2) {
        return std::nullopt;
    }
    base.operands =
        packable_operands(q.graph, base.work, reduction.position[0], reduction.position[tile.row_dim]);
    return base;
}

}  // namespace

std::optional<Group> cache_block(const GroupRequest &q, const std::vector<Tiled> &tiles) {
    std::optional<Search> best;
    Seconds least = 0;
    for (const Tiled &tiled : tiles) {
        const std::optional<Base> base = base_of(q, tiled);
        if (!base) {
            continue;
        }
        Search search(q, *base);
        const Seconds seconds = tiles.size() > 1 ? search.sample() : 0;
        if (!best || seconds < least) {
            best.emplace(std::move(search));
            least = seconds;
        }
    }
    return best ? best->run() : std::nullopt;
}

}  // namespace eutectic
