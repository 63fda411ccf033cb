// c(j, i) += a(k, i) * b(j, k);  y(j, i) = f(c(j, i))
//   →   y in tiles of rows x (vectors of columns), c inside one tile: k outside, rows and vectors unrolled,
//   so that the tile's
//       accumulators never leave the registers. b is packed when its columns are not contiguous. A small
//       window in k's place is unrolled, too, where that costs less.
//
// Without a consumer to write through, y is made: Func::in() around c. An output has no readers to redirect:
// its reduction is first moved to a Func of its own (rfactor of no variable), and the output adds the
// finished tile.

#include <algorithm>
#include <cmath>
#include <map>
#include <type_traits>

#include "fusion/policies/cpu/register_tile_pack.h"
#include "fusion/policies/policy.h"

namespace eutectic {

namespace {

/** The tile and the order of its loops. */
struct Tile {
    int row_dim = 0;  ///< dim of the writer that is unrolled; 0: none
    int64_t rows = 1;
    int64_t lanes = 1;
    int64_t vectors = 1;
    bool columns_outside = true;  ///< loop over column tiles outside the loop over row tiles
    int parallel_loops = 0;       ///< how many of the outermost loops are parallel
    bool window = false;          ///< the reduction, over a small window, is unrolled
};

/** The pure stage that writes the tile. */
struct Writer {
    FuncId func;
    StageWork work;
    bool made;  ///< a write_tile, not a Func of the algorithm
};

class Search {
public:
    Search(const GroupRequest &q, Writer writer, std::vector<FuncId> reductions)
        : q_(q), writer_(std::move(writer)), reductions_(std::move(reductions)) {
        for (const FuncId f : reductions_) {
            std::vector<SharedWork> &stages = stages_[f];
            for (const StageId s : q.graph.funcs[static_cast<size_t>(f)].stages) {
                stages.emplace_back(stage_work(q.graph, s, q.inlined));
            }
            if (q.graph.pure_stage(f).divides_late) {
                divide(f, stages.front().edit());
            }
        }
    }

    /** The best if what memory and caches take did not count. */
    const std::optional<Group> &of_arithmetic() const {
        return of_arithmetic_;
    }

    std::optional<Group> run() {
        shared_writer_ = writer_.work;
        const int n = static_cast<int>(writer_.work.dims.size());
        const bool windows = std::all_of(reductions_.begin(), reductions_.end(),
                                         [&](FuncId f) { return has_window(q_.graph.last_stage(f)); });
        for (const bool window : {false, true}) {
            for (int row_dim = n > 1 ? 1 : no_rows; row_dim < n && (windows || !window); row_dim++) {
                for (const int64_t lanes :
                     vector_widths(q_.machine, element_bytes(), writer_.work.dims[0].extent)) {
                    add_tiles(row_dim, lanes, window);
                }
            }
        }
        // The most promising first: once a tile computes for as long as the best takes, so do all that
        // follow.
        std::stable_sort(tiles_.begin(), tiles_.end(),
                         [](const auto &a, const auto &b) { return a.first < b.first; });
        for (const auto &[least, tile] : tiles_) {
            if (best_ && least >= best_->cost.total()) {
                break;
            }
            try_orders(tile);
        }
        return best_;
    }

private:
    static constexpr int no_rows = 0;  // dim 0 is the columns': a tile of one row
    const GroupRequest &q_;
    Writer writer_;
    SharedWork shared_writer_;  // its work
    std::vector<FuncId> reductions_;
    std::map<FuncId, std::vector<SharedWork>> stages_;  // of each reduction: its initialization, its update
    std::vector<std::pair<Seconds, Tile>> tiles_;       // with what they take at least
    std::optional<Group> best_, of_arithmetic_;

    static Seconds arithmetic(const Group &g) {
        return g.cost.compute + g.cost.idle + g.cost.launch;
    }

    /** The writer divides what `f` has summed up; f's pure definition, which stands for that work, only
     * initializes. */
    void divide(FuncId f, StageWork &pure) {
        const std::vector<int> map = dims_in_producer(writer_.work, f);
        const auto in_writer = [&](const auto &of_f) {
            std::decay_t<decltype(of_f)> result(map.size());
            for (size_t d = 0; d < map.size(); d++) {
                result[d] = map[d] < 0 ? result[d] : of_f[static_cast<size_t>(map[d])];
            }
            return result;
        };
        for (Part part : pure.parts) {
            part.depends = in_writer(part.depends);
            writer_.work.parts.push_back(part);
        }
        for (Load load : pure.loads) {
            for (Index &index : load.access.indices) {
                index.scale = in_writer(index.scale);
            }
            writer_.work.loads.push_back(load);
        }
        pure.loads.clear();
        pure.parts = {{ExprSummary(), false, std::vector<bool>(pure.dims.size(), true)}};
    }

    int element_bytes() const {
        int bytes = 1;
        for (const FuncId f : reductions_) {
            bytes = std::max(bytes, q_.graph.funcs[static_cast<size_t>(f)].element_bytes);
        }
        return bytes;
    }

    void add_tiles(int row_dim, int64_t lanes, bool window) {
        const std::vector<Dim> &dims = writer_.work.dims;
        // Without a size to test at run time the tile would stay guarded, and its accumulators in memory.
        const bool rows_known =
            row_dim != no_rows && dims[static_cast<size_t>(row_dim)].at_least && dims[0].at_least;
        const int64_t most_rows = rows_known ? dims[static_cast<size_t>(row_dim)].extent : 1;
        for (const int64_t vectors : {6, 4, 3, 2, 1}) {
            if (vectors > 1 && (vectors * lanes > dims[0].extent || !dims[0].at_least)) {
                continue;
            }
            for (const int64_t rows : {16, 14, 12, 10, 8, 6, 5, 4, 3, 2, 1}) {
                const int64_t accumulators = rows * vectors * static_cast<int64_t>(reductions_.size());
                const Tile tile{row_dim, rows, lanes, vectors, true, 0, window};
                if (rows <= most_rows && accumulators <= q_.machine.vector_registers) {
                    tiles_.emplace_back(least_seconds(tile), tile);
                }
            }
        }
    }

    /** Of any order of the tile's loops: arithmetic alone, on all cores, does not depend on the order. */
    Seconds least_seconds(const Tile &t) const {
        const Nest nest = writer_nest(t);
        double cycles = 0;
        for (const auto &[f, stages] : stages_) {
            NestedStage stage{stages.back(), reduction_nest(t, nest, f, *stages.back()), {}, true, true};
            for (const Load &load : stages.back()->loads) {
                stage.local.push_back(load.producer);  // loads may become cheaper by packing
            }
            cycles += compute_cycles(stage, q_.machine);
        }
        return cycles / q_.machine.hertz / q_.machine.cores;
    }

    void try_orders(Tile tile) {
        const int outer = outer_loops(tile);
        for (const bool columns_outside : {true, false}) {
            tile.columns_outside = columns_outside;
            for (tile.parallel_loops = 0;
                 tile.parallel_loops <= (q_.machine.cores > 1 ? std::min(outer, 2) : 0);
                 tile.parallel_loops++) {
                Group group = build(tile);
                if (!in_pinned_loops(q_.pins, group)) {
                    continue;
                }
                if (!of_arithmetic_ || arithmetic(group) < arithmetic(*of_arithmetic_)) {
                    of_arithmetic_ = group;
                }
                best_ = cheaper(std::move(best_), std::move(group));
            }
            if (tile.row_dim == no_rows) {
                break;
            }
        }
    }

    /** Loops outside the tile: every dim steps over tiles. */
    int outer_loops(const Tile &) const {
        return static_cast<int>(writer_.work.dims.size());
    }

    int64_t step(const Tile &t, int d) const {
        return d == 0 ? t.lanes * t.vectors : d == t.row_dim ? t.rows : 1;
    }

    Nest writer_nest(const Tile &t) const {
        Nest nest;
        std::vector<int> order;
        for (int d = static_cast<int>(writer_.work.dims.size()) - 1; d > 0; d--) {
            if (d != t.row_dim) {
                order.push_back(d);
            }
        }
        if (t.row_dim == no_rows || t.columns_outside) {
            order.push_back(0);
        }
        if (t.row_dim != no_rows) {
            order.push_back(t.row_dim);
        }
        if (t.row_dim != no_rows && !t.columns_outside) {
            order.push_back(0);
        }
        for (const int d : order) {
            const bool parallel = static_cast<int>(nest.loops.size()) < t.parallel_loops;
            nest.loops.push_back({d, step(t, d), parallel ? Loop::Kind::parallel : Loop::Kind::serial});
        }
        push_tile(nest, t, t.row_dim, 0);
        for (int d = 0; d < static_cast<int>(writer_.work.dims.size()); d++) {
            if (step(t, d) > 1 && writer_.work.dims[static_cast<size_t>(d)].at_least) {
                nest.whole.push_back(whole_tiles(writer_.work.dims[static_cast<size_t>(d)], step(t, d)));
            }
        }
        if (!writer_.work.dims[0].at_least) {
            nest.whole.clear();
        }
        return nest;
    }

    /** Rows unrolled, then vectors unrolled, then lanes. */
    static void push_tile(Nest &nest, const Tile &t, int row_dim, int column_dim) {
        if (t.rows > 1) {
            nest.loops.push_back({row_dim, 1, Loop::Kind::unroll});
        }
        if (t.vectors > 1) {
            nest.loops.push_back({column_dim, t.lanes, Loop::Kind::unroll});
        }
        if (t.lanes > 1) {
            nest.loops.push_back({column_dim, 1, Loop::Kind::vector});
        }
    }

    /** The nest of a stage of reduction `f` inside the writer's tile. */
    Nest reduction_nest(const Tile &t, const Nest &writer, FuncId f, const StageWork &work) const {
        const std::vector<int> map = dims_in_producer(writer_.work, f);
        Nest nest = loops_around(writer, writer_.work.dims, static_cast<size_t>(outer_loops(t)), map);
        for (int d = static_cast<int>(work.dims.size()) - 1; d >= 0; d--) {
            if (work.dims[static_cast<size_t>(d)].reduction) {
                nest.loops.push_back({d, 1, t.window ? Loop::Kind::unroll : Loop::Kind::serial});
            }
        }
        push_tile(nest, t, t.row_dim == no_rows ? -1 : map[static_cast<size_t>(t.row_dim)], map[0]);
        return nest;
    }

    Group build(const Tile &t) const {
        Group g;
        g.root = q_.root;
        g.policy = "register_tile";
        const FuncInfo &root = q_.graph.funcs[static_cast<size_t>(q_.root)];
        const size_t funcs = q_.graph.funcs.size();
        const Nest nest = writer_nest(t);
        FuncId writer = writer_.func;
        if (writer_.made) {
            if (root.output) {
                g.added.push_back(
                    {Added::Kind::moved_sum, added_id(funcs, q_.root, Added::Kind::moved_sum), q_.root, -1,
                     -1, 1,
                     q_.graph.last_stage(q_.root).starts_neutral ? Grade::exact : Grade::reassociating});
            }
            const FuncId of = root.output ? g.added.back().id : q_.root;
            const bool divides = q_.graph.pure_stage(q_.root).divides_late;
            const Added::Kind kind = divides ? Added::Kind::division : Added::Kind::write_tile;
            writer = added_id(funcs, q_.root, kind);
            g.added.push_back({kind, writer, of, -1, -1, 1, divides ? Grade::reassociating : Grade::exact});
        }
        g.computed.push_back({writer, -1, -1, 0, {}});
        g.nests.push_back({writer, -1, writer_.work.dims, nest});
        g.work.push_back({shared_writer_, nest, reductions_, false, false});
        for (const FuncId f : reductions_) {
            add_reduction(t, nest, writer, f, g);
        }
        if (writer_.made && root.output) {
            add_output_pass(g);
        }
        g.cost = price_of(g);
        return g;
    }

    /** Blocks share the copies that are made before all of them. */
    Cost price_of(const Group &g) const {
        std::vector<NestedStage> own, shared;
        for (const NestedStage &s : g.work) {
            (is_shared(g, s.work->func) ? shared : own).push_back(s);
        }
        Cost cost = price(own, q_.machine, best_ ? std::min(q_.limit, best_->cost.total()) : q_.limit);
        if (!shared.empty() && std::isfinite(cost.compute)) {
            Cost once = price(shared, q_.machine);
            for (Seconds *part : {&once.compute, &once.memory, &once.idle, &once.launch}) {
                *part /= q_.blocks;
            }
            cost += once;
        }
        return cost;
    }

    /** Is `f` a packed copy of what no block computes? */
    bool is_shared(const Group &g, FuncId f) const {
        const auto is_member = [&](FuncId of) {
            return std::find(q_.members.begin(), q_.members.end(), of) != q_.members.end();
        };
        return q_.inside_block && std::any_of(g.added.begin(), g.added.end(), [&](const Added &a) {
                   return a.kind == Added::Kind::pack && a.id == f && !is_member(a.of);
               });
    }

    void add_reduction(const Tile &t, const Nest &writer_nest, FuncId writer, FuncId f, Group &g) const {
        const FuncInfo &info = q_.graph.funcs[static_cast<size_t>(f)];
        const bool moved = writer_.made && info.output;
        const FuncId in_tile = moved ? added_id(q_.graph.funcs.size(), f, Added::Kind::moved_sum) : f;
        g.computed.push_back({in_tile, writer, -1, outer_loops(t) - 1, {}});
        for (const SharedWork &work : stages_.at(f)) {
            const Nest nest = reduction_nest(t, writer_nest, f, *work);
            g.nests.push_back({in_tile, work->update, work->dims, nest});
            NestedStage stage{work, nest, {}, true, true};
            if (work->update >= 0) {
                pack_operands({q_, writer_.work, writer_nest, writer, outer_loops(t), step(t, 0), t.lanes,
                               t.row_dim, t.columns_outside},
                              in_tile, stage, g);
            }
            g.work.push_back(stage);
        }
    }

    /** y = start + accumulated: a light pass over the output. (Not an update, y += accumulated: Halide (21)
     * supposes of what an update reads of an output that it is aligned as buffers of its own are, and crashes
     * where a caller's is not.) */
    void add_output_pass(Group &g) const {
        g.computed.push_back({q_.root, -1, -1, 0, {}});
        const FuncInfo &info = q_.graph.funcs[static_cast<size_t>(q_.root)];
        StageWork work = writer_.work;
        work.func = q_.root;
        work.parts.resize(1);  // no division here
        work.loads.resize(1);
        const Nest nest =
            pass_nest(q_, work, vector_widths(q_.machine, info.element_bytes, work.dims[0].extent).front());
        g.nests.push_back({q_.root, -1, work.dims, nest});
        g.work.push_back({work, nest, {}, false, false});
    }
};

/** Accumulating Func with one update over reduction variables and at least one pure dim? */
bool is_tileable(const Graph &graph, FuncId f) {
    const FuncInfo &info = graph.funcs[static_cast<size_t>(f)];
    if (info.stages.size() != 2 || info.tuple_size != 1 || info.extents.empty()) {
        return false;
    }
    const Role role = graph.last_stage(f).role;
    return role == Role::contraction || role == Role::reduction;
}

/** What Func::in() around `f` does, in f's own loops. */
StageWork write_tile_of(const Graph &graph, FuncId f) {
    const FuncInfo &info = graph.funcs[static_cast<size_t>(f)];
    StageWork work = copy_work(f, {f, {}, info.bytes_per_point, info.extents});
    work.dims = graph.pure_stage(f).dims;
    return work;
}

}  // namespace

std::optional<Group> register_tile(const GroupRequest &q, std::optional<Group> *of_arithmetic) {
    const auto run = [&](Search search) {
        std::optional<Group> best = search.run();
        if (of_arithmetic) {
            *of_arithmetic = search.of_arithmetic();
        }
        return best;
    };
    if (!q.tiled.empty()) {
        return run(Search(
            q,
            {q.root, stage_work(q.graph, q.graph.funcs[static_cast<size_t>(q.root)].stages[0], q.inlined),
             false},
            q.tiled));
    }
    const Stage &update = q.graph.last_stage(q.root);
    const bool moves_start = q.graph.funcs[static_cast<size_t>(q.root)].output && !update.starts_neutral;
    if (!is_tileable(q.graph, q.root) || (moves_start && !q.graph.may_reorder(update))) {
        return std::nullopt;
    }
    return run(Search(q, {q.root, write_tile_of(q.graph, q.root), true}, {q.root}));
}

}  // namespace eutectic
