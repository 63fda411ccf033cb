// c(j, i) += a(k, i) * b(j, k), k long
//   →   blocks of c; inside a block, k in chunks (rfactor); inside a chunk, register tiles whose accumulators run over the chunk and are
//       then added to the block.
//
// The chunk of b that a column of tiles reads again and again stays in cache; a whole column of a long k would not. The register tile is the one that
// register_tile chose. Sums are formed chunk by chunk, hence the grade.

#include <algorithm>

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
    int64_t rows, columns, chunk;
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
        : q_(q), base_(std::move(base)), map_(dims_in_producer(base_.write.work, base_.accumulate.work.func)), pure_(static_cast<int>(base_.init.dims.size())) {
    }

    std::optional<Group> run() {
        const int64_t k = base_.update.dims.back().extent;
        const std::vector<Dim> &dims = base_.writer.dims;
        const int64_t most_rows = base_.row_dim > 0 ? dims[static_cast<size_t>(base_.row_dim)].extent : 1;
        for (const int64_t chunk : {256, 512, 1024, 2048}) {
            for (const int64_t row_tiles : {4, 8, 16, 32}) {
                for (const int64_t column_tiles : {1, 2, 4, 8}) {
                    const Blocks b{base_.rows * row_tiles, base_.columns * column_tiles, chunk, true, 1};
                    if (2 * chunk > k || b.rows > most_rows || b.columns > dims[0].extent) {
                        continue;
                    }
                    for (const bool columns_outside : {true, false}) {
                        for (const int parallel_loops : q_.machine.cores > 1 ? std::vector<int>{1, 2} : std::vector<int>{0}) {
                            Group group = build({b.rows, b.columns, chunk, columns_outside, parallel_loops});
                            if (in_pinned_loops(q_.pins, group)) {
                                best_ = cheaper(std::move(best_), std::move(group));
                            }
                        }
                    }
                }
            }
        }
        return best_;
    }

private:
    const GroupRequest &q_;
    Base base_;
    std::vector<int> map_;  // writer dim → dim of the reduction
    int pure_;
    std::optional<Group> best_;

    int row() const {
        return map_[static_cast<size_t>(base_.row_dim)];
    }
    int column() const {
        return map_[0];
    }

    Nest writer_nest(const Blocks &b) const {
        Nest nest;
        const int n = static_cast<int>(base_.writer.dims.size());
        std::vector<std::pair<int, int64_t>> order;
        for (int d = n - 1; d > 0; d--) {
            if (d != base_.row_dim) {
                order.emplace_back(d, 1);
            }
        }
        order.emplace_back(b.columns_outside ? 0 : base_.row_dim, b.columns_outside ? b.columns : b.rows);
        order.emplace_back(b.columns_outside ? base_.row_dim : 0, b.columns_outside ? b.rows : b.columns);
        for (const auto &[d, size] : order) {
            const bool parallel = static_cast<int>(nest.loops.size()) < b.parallel_loops;
            nest.loops.push_back({d, size, parallel ? Loop::Kind::parallel : Loop::Kind::serial});
        }
        nest.loops.push_back({base_.row_dim, 1, Loop::Kind::serial});
        nest.loops.push_back({0, base_.lanes, Loop::Kind::serial});
        nest.loops.push_back({0, 1, Loop::Kind::vector});
        nest.whole = {whole_tiles(base_.writer.dims[0], b.columns), whole_tiles(base_.writer.dims[static_cast<size_t>(base_.row_dim)], b.rows)};
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
        const FuncId part = added_id(q_.graph.funcs.size(), base_.accumulate.work.func, Added::Kind::lanes);
        const bool free = q_.graph.last_stage(base_.accumulate.work.func).order_free;
        g.added.push_back({Added::Kind::lanes, part, f, -1, pure_, b.chunk, free ? Grade::exact : Grade::reassociating});
        g.added.back().keep_outer = true;
        const Nest writer = writer_nest(b);
        const int outer = static_cast<int>(base_.writer.dims.size());
        g.computed.push_back({base_.writer.func, -1, -1, 0, {}});
        g.nests.push_back({base_.writer.func, -1, base_.writer.dims, writer});
        g.work.push_back(base_.write);
        g.work.back().nest = writer;
        g.work.back().local.clear();

        g.computed.push_back({f, base_.writer.func, -1, outer - 1, {}});
        add_block_stages(b, loops_around(writer, base_.writer.dims, static_cast<size_t>(outer), map_), f, g);
        const int tile_loop = outer + 2;  // chunk, column of tiles, tile
        g.computed.push_back({part, f, 0, tile_loop, {}});
        add_chunk_stages(b, g.nests.back().nest, part, g);
        for (const Computed &c : base_.group.computed) {
            if (c.func == q_.root && c.func != base_.writer.func && c.func != f) {
                copy_output_pass(c, g);
            }
        }
        g.cost = price(g.work, q_.machine);
        return g;
    }

    /** c = 0 over the block; c += chunk, tile by tile. The update's nest is the last one pushed. */
    void add_block_stages(const Blocks &b, const Nest &outer, FuncId f, Group &g) const {
        Nest init = outer;
        init.loops.push_back({row(), 1, Loop::Kind::serial});
        init.loops.push_back({column(), base_.lanes, Loop::Kind::serial});
        init.loops.push_back({column(), 1, Loop::Kind::vector});
        g.nests.push_back({f, -1, base_.init.dims, init});

        std::vector<Dim> dims = base_.init.dims;
        dims.push_back({"u", (base_.update.dims.back().extent + b.chunk - 1) / b.chunk, true, std::nullopt});
        Nest update = outer;
        update.loops.push_back({pure_, 1, Loop::Kind::serial});
        update.loops.push_back({column(), base_.columns, Loop::Kind::serial});
        update.loops.push_back({row(), base_.rows, Loop::Kind::serial});
        push_tile(update);
        const StageWork work = addition_work(base_.accumulate.work.func, dims, base_.accumulate.work.element_bytes);
        g.nests.push_back({f, 0, dims, update});
        g.work.push_back({work, update, {}, false, false});
    }

    void add_chunk_stages(const Blocks &b, const Nest &block_update, FuncId part, Group &g) const {
        const StageWork work = split_reduction(base_.accumulate.work, pure_, pure_, b.chunk, true);
        Nest nest;
        const size_t outer = static_cast<size_t>(block_update.shared) + 3;
        nest.loops.assign(block_update.loops.begin(), block_update.loops.begin() + static_cast<std::ptrdiff_t>(outer));
        nest.shared = static_cast<int>(outer);
        Nest init = nest;
        push_tile(init);
        nest.loops.push_back({pure_ + 1, 1, Loop::Kind::serial});
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
            if (s.work.func == c.func && !s.accumulates_in_registers && &s != &base_.group.work.front()) {
                g.work.push_back(s);
            }
        }
    }
};

/** Reads the register tile off `group`; nothing when its shape is not one that can be blocked. */
std::optional<Base> read_base(const GroupRequest &q, const Group &group) {
    const bool packs = std::any_of(group.added.begin(), group.added.end(), [](const Added &a) { return a.kind == Added::Kind::pack; });
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
        if (s.accumulates_in_registers && s.work.update == 0) {
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
    const bool one_sum = base.update.dims.size() == base.init.dims.size() + 1;
    if (!one_sum || base.row_dim == 0 || base.lanes == 1 || base.writer.nest.whole.size() < 2) {
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
