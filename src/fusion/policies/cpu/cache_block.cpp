// c(j, i) += a(k, i) * b(j, k), k long
//   →   blocks of c; inside a block, k in chunks (rfactor); inside a chunk, register tiles whose accumulators
//   run over the chunk and are
//       then added to the block.
//
// The chunk of b that a column of tiles reads again and again stays in cache; a whole column of a long k
// would not. The register tile is the one that register_tile chose. A sum over several variables (the
// gradient of a convolution's weights: columns, rows and images) has its chunks along one of them; each point
// of those outside it has chunks of its own, and a chunk goes over all of those inside. Dims beside the
// tile's two (the window) are outside the chunks, or inside where all that they read is then read once. Sums
// are formed chunk by chunk, hence the grade.

#include <algorithm>
#include <cmath>

#include "fusion/policies/policy.h"

namespace eutectic {

namespace {

/** What register_tile decided, read off its nests. */
struct Base {
    Group group;
    StageNest writer, init, update;
    NestedStage write, accumulate;
    int row_dim = 0;  ///< of the writer; 0: none
    int64_t rows = 1, columns = 1, lanes = 1;
};

struct Blocks {
    int64_t rows, columns;
    int cut;        ///< the reduction dim that is cut into chunks
    int64_t chunk;  ///< of so many of its points
    bool others_inside;
    bool columns_outside;
    int parallel_loops;
};

const StageNest *find(const Group &g, FuncId func, int update) {
    for (const StageNest &s : g.nests) {
        if (s.func == func && s.update == update) {
            return &s;
        }
    }
    return nullptr;
}

class Search {
public:
    Search(const GroupRequest &q, Base base)
        : q_(q),
          base_(std::move(base)),
          map_(dims_in_producer(base_.write.work, base_.accumulate.work->func)),
          pure_(static_cast<int>(base_.init.dims.size())) {
    }

    std::optional<Group> run() {
        const bool others = base_.writer.dims.size() > 2;
        int64_t inside = 1;  // terms of all reduction dims inside the one that is cut
        for (int cut = pure_; cut < static_cast<int>(base_.update.dims.size()); cut++) {
            const int64_t k = base_.update.dims[static_cast<size_t>(cut)].extent;
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
    std::vector<int> map_;  // writer dim → dim of the reduction
    int pure_;
    std::vector<std::pair<Seconds, Blocks>> sizes_;  // with their price in one order of the loops
    std::optional<Group> best_;

    /** Sizes that are tried in all orders. With twice as many no generator has another plan. */
    static constexpr size_t most_sizes = 12;

    void try_blocks(int cut, int64_t chunk, bool others_inside) {
        const std::vector<Dim> &dims = base_.writer.dims;
        const int64_t most_rows = dims[static_cast<size_t>(base_.row_dim)].extent;
        for (const int64_t row_tiles : {1, 2, 4, 8, 16, 32}) {
            for (const int64_t column_tiles : {1, 2, 4, 8}) {
                const int64_t rows = base_.rows * row_tiles, columns = base_.columns * column_tiles;
                if (rows > most_rows || columns > dims[0].extent) {
                    continue;
                }
                const Blocks blocks{
                    rows, columns, cut, chunk, others_inside, true, q_.machine.cores > 1 ? 2 : 0};
                const Seconds seconds = build(blocks).cost.total();
                if (std::isfinite(seconds)) {
                    sizes_.emplace_back(seconds, blocks);
                }
            }
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
                    best_ = cheaper(std::move(best_), std::move(group));
                }
            }
        }
    }

    /** Dims of the writer beside the tile's, outermost first. */
    std::vector<int> others() const {
        std::vector<int> dims;
        for (int d = static_cast<int>(base_.writer.dims.size()) - 1; d > 0; d--) {
            if (d != base_.row_dim) {
                dims.push_back(d);
            }
        }
        return dims;
    }

    /** Loops of the writer around a block. */
    size_t outer_loops(const Blocks &b) const {
        return base_.writer.dims.size() - (b.others_inside ? others().size() : 0);
    }

    /** Loops over chunks, of each point of the reduction dims outside the one that is cut. */
    int chunk_loops(const Blocks &b) const {
        return static_cast<int>(base_.update.dims.size()) - b.cut;
    }

    int row() const {
        return map_[static_cast<size_t>(base_.row_dim)];
    }
    int column() const {
        return map_[0];
    }

    Nest writer_nest(const Blocks &b) const {
        Nest nest;
        std::vector<std::pair<int, int64_t>> order;
        for (const int d : b.others_inside ? std::vector<int>() : others()) {
            order.emplace_back(d, 1);
        }
        order.emplace_back(b.columns_outside ? 0 : base_.row_dim, b.columns_outside ? b.columns : b.rows);
        order.emplace_back(b.columns_outside ? base_.row_dim : 0, b.columns_outside ? b.rows : b.columns);
        for (const auto &[d, size] : order) {
            const bool parallel = static_cast<int>(nest.loops.size()) < b.parallel_loops;
            nest.loops.push_back({d, size, parallel ? Loop::Kind::parallel : Loop::Kind::serial});
        }
        for (const int d : b.others_inside ? others() : std::vector<int>()) {
            nest.loops.push_back({d, 1, Loop::Kind::serial});
        }
        nest.loops.push_back({base_.row_dim, 1, Loop::Kind::serial});
        nest.loops.push_back({0, base_.lanes, Loop::Kind::serial});
        nest.loops.push_back({0, 1, Loop::Kind::vector});
        nest.whole = {whole_tiles(base_.writer.dims[0], b.columns),
                      whole_tiles(base_.writer.dims[static_cast<size_t>(base_.row_dim)], b.rows)};
        return nest;
    }

    void push_tile(Nest &nest) const {
        if (base_.rows > 1) {
            nest.loops.push_back({row(), 1, Loop::Kind::unroll});
        }
        if (base_.columns > base_.lanes) {
            nest.loops.push_back({column(), base_.lanes, Loop::Kind::unroll});
        }
        nest.loops.push_back({column(), 1, Loop::Kind::vector});
    }

    Group build(const Blocks &b) const {
        Group g;
        g.root = q_.root;
        g.policy = "cache_block";
        g.added = base_.group.added;
        const FuncId f = base_.update.func;
        const FuncId part = added_id(q_.graph.funcs.size(), base_.accumulate.work->func, Added::Kind::lanes);
        const bool free = q_.graph.last_stage(base_.accumulate.work->func).order_free;
        g.added.push_back(
            {Added::Kind::lanes, part, f, -1, b.cut, b.chunk, free ? Grade::exact : Grade::reassociating});
        g.added.back().keep_outer = true;
        for (int d = b.cut + 1; d < static_cast<int>(base_.update.dims.size()); d++) {
            g.added.back().each.push_back(d);
        }
        const Nest writer = writer_nest(b);
        const size_t outer = outer_loops(b);
        g.computed.push_back({base_.writer.func, -1, -1, 0, {}});
        g.nests.push_back({base_.writer.func, -1, base_.writer.dims, writer});
        g.work.push_back(base_.write);
        g.work.back().nest = writer;
        g.work.back().local.clear();

        g.computed.push_back({f, base_.writer.func, -1, static_cast<int>(outer) - 1, {}});
        add_block_stages(b, loops_around(writer, base_.writer.dims, outer, map_), f, g);
        g.computed.push_back({part, f, 0, around_tile(b) - 1, {}});
        add_chunk_stages(b, g.nests.back().nest, part, g);
        for (const Computed &c : base_.group.computed) {
            if (c.func == q_.root && c.func != base_.writer.func && c.func != f) {
                copy_output_pass(c, g);
            }
        }
        g.cost = price(g.work, q_.machine, best_ ? std::min(q_.limit, best_->cost.total()) : q_.limit);
        return g;
    }

    /** Loops of the block around a tile: chunks, what else is inside them, columns of tiles, tiles. */
    int around_tile(const Blocks &b) const {
        return static_cast<int>(outer_loops(b)) + chunk_loops(b) +
               (b.others_inside ? static_cast<int>(others().size()) : 0) + 2;
    }

    /** c = 0 over the block; c += chunk, tile by tile. The update's nest is the last one pushed. */
    void add_block_stages(const Blocks &b, const Nest &outer, FuncId f, Group &g) const {
        Nest init = outer;
        push_others(b, init);
        init.loops.push_back({row(), 1, Loop::Kind::serial});
        init.loops.push_back({column(), base_.lanes, Loop::Kind::serial});
        init.loops.push_back({column(), 1, Loop::Kind::vector});
        g.nests.push_back({f, -1, base_.init.dims, init});

        std::vector<Dim> dims = base_.init.dims;
        dims.push_back({"u", (base_.update.dims[static_cast<size_t>(b.cut)].extent + b.chunk - 1) / b.chunk,
                        true, std::nullopt});
        dims.insert(dims.end(), base_.update.dims.begin() + b.cut + 1, base_.update.dims.end());
        Nest update = outer;
        for (int d = static_cast<int>(dims.size()) - 1; d >= pure_; d--) {
            update.loops.push_back({d, 1, Loop::Kind::serial});
        }
        push_others(b, update);
        update.loops.push_back({column(), base_.columns, Loop::Kind::serial});
        update.loops.push_back({row(), base_.rows, Loop::Kind::serial});
        push_tile(update);
        const StageWork work =
            addition_work(base_.accumulate.work->func, dims, base_.accumulate.work->element_bytes);
        g.nests.push_back({f, 0, dims, update});
        g.work.push_back({work, update, {}, false, false});
    }

    void push_others(const Blocks &b, Nest &nest) const {
        for (const int d : b.others_inside ? others() : std::vector<int>()) {
            nest.loops.push_back({map_[static_cast<size_t>(d)], 1, Loop::Kind::serial});
        }
    }

    void add_chunk_stages(const Blocks &b, const Nest &block_update, FuncId part, Group &g) const {
        StageWork work = split_reduction(base_.accumulate.work, pure_, b.cut, b.chunk, true);
        for (int i = 1; i < chunk_loops(b); i++) {
            work = keep_apart(work, pure_ + i, b.cut + 1 + i);
        }
        Nest nest;
        const size_t outer = static_cast<size_t>(around_tile(b));
        nest.loops.assign(block_update.loops.begin(),
                          block_update.loops.begin() + static_cast<std::ptrdiff_t>(outer));
        nest.shared = static_cast<int>(outer);
        Nest init = nest;
        push_tile(init);
        for (int d = static_cast<int>(work.dims.size()) - 1;
             d >= 0 && work.dims[static_cast<size_t>(d)].reduction; d--) {
            nest.loops.push_back({d, 1, Loop::Kind::serial});
        }
        push_tile(nest);
        g.nests.push_back({part, -1, work.dims, init});
        g.nests.push_back({part, 0, work.dims, nest});
        g.work.push_back({work, nest, {}, true, true});
    }

    /** The passes over an output that register_tile added, as they are. */
    void copy_output_pass(const Computed &c, Group &g) const {
        g.computed.push_back(c);
        for (const StageNest &s : base_.group.nests) {
            if (s.func == c.func) {
                g.nests.push_back(s);
            }
        }
        for (const NestedStage &s : base_.group.work) {
            if (s.work->func == c.func && !s.accumulates_in_registers && &s != &base_.group.work.front()) {
                g.work.push_back(s);
            }
        }
    }
};

/** Reads the register tile off `group`; nothing when its shape is not one that can be blocked. */
std::optional<Base> read_base(const GroupRequest &q, const Group &group) {
    const bool packs = std::any_of(group.added.begin(), group.added.end(),
                                   [](const Added &a) { return a.kind == Added::Kind::pack; });
    if (packs || q.tiled.size() > 1 || group.nests.size() < 3) {
        return std::nullopt;
    }
    Base base;
    base.writer = group.nests[0];
    const FuncId f = group.computed[1].func;
    if (!find(group, f, -1) || !find(group, f, 0)) {
        return std::nullopt;
    }
    base.init = *find(group, f, -1);
    base.update = *find(group, f, 0);
    base.write = group.work.front();
    for (const NestedStage &s : group.work) {
        if (s.accumulates_in_registers && s.work->update == 0) {
            base.accumulate = s;
        }
    }
    const size_t outer = base.writer.dims.size();
    for (size_t l = 0; l < base.writer.nest.loops.size(); l++) {
        const Loop &loop = base.writer.nest.loops[l];
        if (l < outer && loop.dim == 0) {
            base.columns = loop.size;
        } else if (loop.kind == Loop::Kind::unroll && loop.dim != 0) {
            base.row_dim = loop.dim;
            base.rows = trips(base.writer.nest, l, base.writer.dims);
        } else if (loop.kind == Loop::Kind::vector) {
            base.lanes = trips(base.writer.nest, l, base.writer.dims);
        }
    }
    if (base.update.dims.size() == base.init.dims.size() || base.row_dim == 0 || base.lanes == 1 ||
        base.writer.nest.whole.size() < 2) {
        return std::nullopt;
    }
    base.group = group;
    return base;
}

}  // namespace

std::optional<Group> cache_block(const GroupRequest &q, const Group &tiled) {
    const FuncId reduction = q.tiled.empty() ? q.root : q.tiled.front();
    if (!q.graph.may_reorder(q.graph.last_stage(reduction))) {
        return std::nullopt;
    }
    std::optional<Base> base = read_base(q, tiled);
    return base ? Search(q, std::move(*base)).run() : std::nullopt;
}

}  // namespace eutectic
