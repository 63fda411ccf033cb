// c(j, i) += a(k, i) * b(j, k);  y(j, i) = f(c(j, i))
//   →   y in tiles of rows x (vectors of columns), c inside one tile: k outside, rows and vectors unrolled,
//   so that the tile's
//       accumulators never leave the registers. b is packed when its columns are not contiguous, or where
//       that costs less than its rows do where they are. A small window in k's place is unrolled, too, where
//       that costs less.
//
// Without a consumer to write through, y is made: Func::in() around c. An output has no readers to redirect:
// its reduction is first moved to a Func of its own (rfactor of no variable), and the output adds the
// finished tile.

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "fusion/policies/cpu/promising.h"
#include "fusion/policies/cpu/register_tile.h"
#include "fusion/policies/cpu/register_tile_dots.h"
#include "fusion/policies/cpu/register_tile_pack.h"
#include "fusion/rewrite.h"

namespace eutectic {

namespace {

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
            for (const StageId s : q.graph.funcs[f].stages) {
                stages.emplace_back(stage_work(q.graph, s, q.inlined));
            }
            if (q.graph.pure_stage(f).wrapper) {
                divide_in_writer(dims_of(f), stages.front().edit(), writer_.work);
            }
            panels_ = panels_ || reads_panels(q, stages);
            whole_ = whole_ && reads_whole_panels(q, stages, dims_of(f)[0]);
        }
        dots_ = panels_ ? std::nullopt : TileDots::find(q, writer_.work, reductions_);
    }

    /** Of the tiles, the best if what memory and caches take did not count: the first before the others. */
    const ChunkCandidates &of_arithmetic() const {
        return of_arithmetic_;
    }

    std::optional<Tiled> run() {
        shared_writer_ = writer_.work;
        const DimId n = writer_.work.dims.next_id();
        const bool windows = std::all_of(reductions_.begin(), reductions_.end(),
                                         [&](FuncId f) { return has_window(q_.graph.last_stage(f)); });
        if (panels_ && !whole_) {
            return std::nullopt;
        }
        for (const bool window : {false, true}) {
            for (DimId row_dim = n > 1 ? DimId(1) : no_rows; row_dim < n && (windows || !window); row_dim++) {
                for (const int64_t lanes :
                     vector_widths(q_.machine, element_bytes(), writer_.work.dims[0].extent)) {
                    add_tiles(row_dim, lanes, window);
                }
            }
        }
        const auto limit = [&] {
            return best_ ? std::min(q_.computing_limit, best_->group.cost.total()) : q_.computing_limit;
        };
        tiles_.look(limit, [&](const RegisterTile &tile) { return try_orders(tile); });
        return best_;
    }

private:
    static constexpr DimId no_rows = 0;  // dim 0 is the columns': a tile of one row
    const GroupRequest &q_;
    Writer writer_;
    SharedWork shared_writer_;  // its work
    std::vector<FuncId> reductions_;
    bool panels_ = false, whole_ = true;  // do some read panels, and all nothing else along them?
    std::map<FuncId, std::vector<SharedWork>> stages_;  // of each reduction: its initialization, its update
    std::optional<TileDots> dots_;                      // of all of them
    Promising<RegisterTile> tiles_;
    std::optional<Tiled> best_;
    ChunkCandidates of_arithmetic_;

    int element_bytes() const {
        int bytes = 1;
        for (const FuncId f : reductions_) {
            bytes = std::max(bytes, q_.graph.funcs[f].element_bytes);
        }
        return bytes;
    }

    void add_tiles(DimId row_dim, int64_t lanes, bool window) {
        const Dims &dims = writer_.work.dims;
        // Without a size to test at run time the tile would stay guarded, and its accumulators in memory.
        const bool rows_known = row_dim != no_rows && dims[0].at_least;
        const int64_t most_rows = rows_known ? testable_points(dims[row_dim]) : 1;
        const int64_t constant_rows = rows_known && is_constant(q_.graph, writer_.work, reductions_, row_dim)
                                          ? dims[row_dim].extent
                                          : 0;
        for (const int64_t vectors : {6, 4, 3, 2, 1}) {
            if (vectors > 1 && vectors * lanes > testable_points(dims[0])) {
                continue;
            }
            for (int64_t rows = 16; rows > 0; rows--) {
                const int64_t accumulators = rows * vectors * accumulated_values(q_.graph, reductions_);
                RegisterTile tile{row_dim, rows, lanes, vectors, true, 0, window, false, panels_};
                const bool tried = rows <= 6 || rows % 2 == 0;  // of many, one more makes no difference
                const bool whole = constant_rows % rows == 0 && constant_rows >= rows;
                if (!(whole || (tried && rows <= most_rows)) || accumulators > q_.machine.vector_registers) {
                    continue;
                }
                tiles_.add(least_seconds(tile), tile);
                if (dots_ && lanes >= TileDots::least_lanes && !window) {
                    tile.terms = dots_->terms();
                    tiles_.add(least_seconds(tile), tile);
                }
            }
        }
    }

    /** Of any order of the tile's loops: arithmetic alone, on all cores, does not depend on the order. */
    Seconds least_seconds(const RegisterTile &t) const {
        LoopTree tree;
        add_writer(t, tree);
        double cycles = 0;
        for (const auto &[f, stages] : stages_) {
            tree.add_in_loop(in_tile(f), {writer_id(), -1, outer_loops() - 1}, dims_of(f));
            const SharedWork &work = t.terms > 1 ? dots_->work(f) : stages.back();
            const TreeStage &update = tree.add_stage(in_tile(f), reduction_loops(t, f, *work), {}, {work});
            NestedStage stage{work, tree.nest(in_tile(f), update.update).nest, {}, true, true};
            for (const Load &load : work->loads) {
                stage.local.push_back(load.producer);  // loads may become cheaper by packing
            }
            cycles += compute_cycles(stage, q_.machine);
        }
        return cycles / q_.machine.hertz / q_.machine.cores;
    }

    /** Is it in any order better than those before, or are there still none? */
    bool try_orders(RegisterTile tile) {
        const Seconds before = best_ ? best_->group.cost.total() : std::numeric_limits<Seconds>::infinity();
        for (const bool columns_outside : {true, false}) {
            tile.columns_outside = columns_outside;
            const bool may_pack = tile.terms == 1 && may_pack_rows(tile);
            for (tile.parallel_loops = 0;
                 tile.parallel_loops <= (q_.machine.cores > 1 ? std::min(outer_loops(), 2) : 0);
                 tile.parallel_loops++) {
                for (const bool packs_rows : {false, true}) {
                    tile.packs_rows = packs_rows;
                    if (!packs_rows || may_pack) {
                        try_tile(tile);
                    }
                }
            }
            if (tile.row_dim == no_rows) {
                break;
            }
        }
        return !best_ || best_->group.cost.total() < before;
    }

    bool may_pack_rows(const RegisterTile &t) const {
        return std::any_of(stages_.begin(), stages_.end(), [&](const auto &of) {
            return reads_rows_again(q_, writer_.work, t, *of.second.back());
        });
    }

    void try_tile(const RegisterTile &tile) {
        Tiled found{build(tile), tile};
        if (in_pinned_loops(q_.pins, found.group)) {
            if (tile.terms == 1) {
                of_arithmetic_.add(found);
            }
            if (!best_ || found.group.cost.total() < best_->group.cost.total()) {
                best_ = std::move(found);
            }
        }
    }

    /** Loops outside the tile: every dim steps over tiles. */
    int outer_loops() const {
        return static_cast<int>(writer_.work.dims.size());
    }

    /** Which dim of `f` each of the writer's is, or -1. */
    DimMap dims_of(FuncId f) const {
        return dims_in_producer(writer_.work, f);
    }

    bool is_moved(FuncId f) const {
        return writer_.made && q_.graph.funcs[f].output;
    }

    /** What the group calls reduction `f`. */
    FuncId in_tile(FuncId f) const {
        return is_moved(f) ? q_.made("moved_sum", f) : f;
    }

    /** Which makes what the tile is written by, instead of a write_tile; null: none. */
    const Rewrite *wrapper() const {
        return q_.graph.pure_stage(q_.root).wrapper;
    }

    FuncId writer_id() const {
        return writer_.made ? q_.made(wrapper() ? wrapper()->name() : "write_tile", q_.root) : writer_.func;
    }

    void add_writer(const RegisterTile &t, LoopTree &tree) const {
        Nest nest = writer_nest(t);
        tree.add_at_root(writer_id());
        tree.add_stage(writer_id(), -1, writer_.work.dims, std::move(nest.loops), std::move(nest.whole),
                       NestedStage{shared_writer_, {}, reductions_});
    }

    Nest writer_nest(const RegisterTile &t) const {
        Nest nest;
        nest.loops.reserve(writer_.work.dims.size() + 3);  // and those of the tile
        std::vector<DimId> order;
        order.reserve(writer_.work.dims.size());
        for (DimId d = writer_.work.dims.next_id() - 1; d > 0; d--) {
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
        for (const DimId d : order) {
            const bool parallel = static_cast<int>(nest.loops.size()) < t.parallel_loops;
            nest.loops.split(d, t.step(d), parallel ? Loop::Kind::parallel : Loop::Kind::serial);
        }
        push_tile(nest.loops, t, t.row_dim, 0);
        for (const DimId d : writer_.work.dims.ids()) {
            if (t.step(d) > 1 && writer_.work.dims[d].at_least) {
                nest.whole.push_back(whole_tiles(writer_.work.dims[d], t.step(d)));
            }
        }
        if (!writer_.work.dims[0].at_least) {
            nest.whole.clear();
        }
        if (t.panels) {
            begin_at_panels(nest, writer_.work.dims[0], t.columns());
        }
        return nest;
    }

    /** Rows unrolled, then vectors unrolled, then lanes. */
    static void push_tile(Loops &loops, const RegisterTile &t, DimId row_dim, DimId column_dim) {
        if (t.rows > 1) {
            loops.unroll(row_dim);
        }
        if (t.vectors > 1) {
            loops.unroll(column_dim, t.lanes);
        }
        if (t.lanes > 1) {
            loops.vectorize(column_dim);
        }
    }

    /** The loops of a stage of reduction `f` inside the writer's tile. */
    Loops reduction_loops(const RegisterTile &t, FuncId f, const StageWork &work) const {
        const DimMap map = dims_of(f);
        Loops loops;
        loops.reserve(work.dims.size() + 3);  // those of the reduction, and of the tile
        for (const DimId d : work.dims.reversed_ids()) {
            if (work.dims[d].reduction) {
                loops.split(d, 1, t.window ? Loop::Kind::unroll : Loop::Kind::serial);
            }
        }
        push_tile(loops, t, t.row_dim == no_rows ? DimId(-1) : map[t.row_dim], map[0]);
        return loops;
    }

    Group build(const RegisterTile &t) const {
        Group g;
        g.root = q_.root;
        g.policy = "register_tile";
        if (is_moved(q_.root)) {
            g.added.push_back(Added::rewrite(
                "moved_sum", in_tile(q_.root), q_.root, {},
                q_.graph.last_stage(q_.root).starts_neutral ? Grade::exact : Grade::reassociating));
        }
        if (writer_.made) {
            const FuncId of = in_tile(q_.root);
            g.added.push_back(
                wrapper() ? Added::rewrite(wrapper()->name(), writer_id(), of, {}, Grade::reassociating)
                          : Added::write_tile(writer_id(), of));
        }
        add_writer(t, g.tree);
        for (const FuncId f : reductions_) {
            add_reduction(t, f, g);
        }
        if (is_moved(q_.root)) {
            add_output_pass(g);
        }
        g.cost = price_in_blocks(q_, g,
                                 best_ ? best_->group.cost.total() : std::numeric_limits<double>::infinity());
        return g;
    }

    void add_reduction(const RegisterTile &t, FuncId f, Group &g) const {
        TreeFunc &placed = g.tree.add_in_loop(in_tile(f), {writer_id(), -1, outer_loops() - 1}, dims_of(f));
        if (g.tree.at(writer_id(), -1).whole.empty()) {
            placed.allocated = points_in_tile(t, dims_of(f), q_.graph.funcs[f].extents.size());
        }
        const Loops writer = g.tree.at(writer_id(), -1).loops;
        const PackedTile packed{q_, writer_.work, writer, writer_id(), t};
        for (const SharedWork &as_written : stages_.at(f)) {
            const bool dots = as_written->update >= 0 && t.terms > 1;
            const SharedWork &work = dots ? dots_->work(f) : as_written;
            NestedStage stage{work, {}, {}, true, true};
            if (dots) {
                dots_->add_copies(packed, f, in_tile(f), stage.work, g);
            } else if (work->update >= 0) {
                pack_operands(packed, in_tile(f), stage.work, g);
            }
            g.tree.add_stage(in_tile(f), work->update, work->dims, reduction_loops(t, f, *work), {},
                             std::move(stage));
        }
    }

    /** y = start + accumulated: a light pass over the output. (Not an update, y += accumulated: Halide (21)
     * supposes of what an update reads of an output that it is aligned as buffers of its own are, and crashes
     * where a caller's is not.) */
    void add_output_pass(Group &g) const {
        g.tree.add_at_root(q_.root);
        const FuncInfo &info = q_.graph.funcs[q_.root];
        StageWork work = writer_.work;
        work.func = q_.root;
        work.parts.resize(1);  // no division here
        work.loads.resize(1);
        const int64_t width = vector_widths(q_.machine, info.element_bytes, work.dims[0].extent).front();
        g.tree.add_stage(q_.root, pass_nest(q_, work, width).loops, {}, {work});
    }
};

/** The cheapest tile, or that tile in chunks, or one that is good where all that it reads is in cache, as
 * what a chunk reads is. */
Offer best_of(const GroupRequest &q, Search search) {
    const std::optional<Tiled> tiled = search.run();
    if (!tiled) {
        return Offer::refuse(no_tile(q));
    }
    q.consider(tiled->group);
    GroupRequest limited = q;
    limited.limit = std::min(q.limit, tiled->group.cost.total());
    std::optional<Group> blocked = cache_block(limited, {*tiled});
    blocked = cheaper(std::move(blocked), cache_block(limited, search.of_arithmetic().beside(*tiled)));
    return *cheaper(tiled->group, std::move(blocked));
}

}  // namespace

Offer register_tile(const GroupRequest &q) {
    const FuncInfo &root = q.graph.funcs[q.root];
    if (!q.sharing_nest.empty() || !q.blocked.empty()) {
        return Offer::other_kind("computes nothing in its loops but what it sums up");
    }
    if (!q.tiled.empty()) {
        return best_of(q,
                       Search(q, {q.root, stage_work(q.graph, root.stages[0], q.inlined), false}, q.tiled));
    }
    if (!is_single_reduction(q.graph, q.root) || root.extents.empty()) {
        return Offer::other_kind("is for sums of several values, in one update, which " + root.name +
                                 " is not");
    }
    const Stage &update = q.graph.last_stage(q.root);
    if (root.output && !update.starts_neutral && !q.graph.may_reorder(update)) {
        return Offer::refuse("would add what the output " + root.name +
                             " starts with last, which strict arithmetic rules out");
    }
    return best_of(q, Search(q, {q.root, write_tile_of(q.graph, q.root), true}, {q.root}));
}

}  // namespace eutectic
