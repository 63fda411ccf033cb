// c(j, i) += a(k, i) * b(j, k);  y(j, i) = f(c(j, i))   →   blocks of threads over tiles of y; each thread
// keeps a few rows and columns of c in registers, runs over all k, applies f and writes.
//
// Whole tiles are unrolled, without guards, where a size can be tested at run time; other sizes take the same
// loops guarded. Terms keep their order. A reduction at Root is written so, too: by a copy of its own, or, if
// it is an output, by itself, once its reduction is a Func of its own.

#include <algorithm>

#include "fusion/policies/gpu/gpu.h"

namespace eutectic {

namespace {

using Kind = Loop::Kind;

struct Tile {
    int64_t x = 1, y = 1;           ///< threads of a block along the columns (dim 0) and the rows (dim 1)
    int64_t columns = 1, rows = 1;  ///< of a thread
};

class Search {
public:
    explicit Search(const GroupRequest &q)
        : q_(q), info_(q.graph.funcs[q.root]), made_(info_.stages.size() > 1) {
        reductions_ = made_ ? std::vector<FuncId>{q.root} : q.tiled;
        const Dims &dims = q.graph.pure_stage(q.root).dims;
        dims_.assign(dims.begin(), dims.begin() + static_cast<std::ptrdiff_t>(info_.extents.size()));
    }

    std::optional<Group> run() {
        const bool has_rows = dims_.size() > 1;
        // What is tried, in powers of two: blocks of 32 to 256 threads, as points.cpp says, of up to 64 sums.
        for (const int64_t x : {8, 16, 32, 64}) {
            for (const int64_t y : {1, 4, 8, 16, 32}) {
                for (const int64_t columns : {1, 2, 4, 8}) {
                    for (const int64_t rows : {1, 2, 4, 8}) {
                        const bool sensible = x * y >= 32 && x * y <= 256 && fits(0, x, columns) &&
                                              (has_rows ? fits(1, y, rows) : y * rows == 1);
                        if (sensible) {
                            best_ = cheaper(std::move(best_), build({x, y, columns, rows}));
                        }
                    }
                }
            }
        }
        return best_;
    }

private:
    const GroupRequest &q_;
    const FuncInfo &info_;
    bool made_;  // the writer is a Func that the plan adds, or the root without its reduction
    std::vector<FuncId> reductions_;
    Dims dims_;
    std::optional<Group> best_;

    /** A tile of more than one point needs a size to test; none is twice as long as its dim. */
    bool fits(size_t d, int64_t threads, int64_t points) const {
        return (points == 1 || dims_[d].at_least) &&
               (threads * points <= 8 || threads * points < 2 * dims_[d].extent);
    }

    Nest writer_nest(const Tile &t) const {
        Nest nest;
        for (DimId d = dims_.next_id() - 1; d > 1; d--) {
            nest.loops.gpu_blocks(d);
        }
        const bool has_rows = dims_.size() > 1;
        if (has_rows) {
            nest.loops.gpu_blocks(1, t.y * t.rows);
        }
        nest.loops.gpu_blocks(0, t.x * t.columns);
        if (has_rows && t.y > 1) {
            nest.loops.gpu_threads(1, t.rows);
        }
        nest.loops.gpu_threads(0, t.columns);
        push_points(nest.loops, t, 1, 0);
        const bool known = dims_[0].at_least && (!has_rows || dims_[1].at_least);
        if (t.columns * t.rows > 1 && known) {
            nest.whole.push_back(whole_tiles(dims_[0], t.x * t.columns));
            if (has_rows && t.y * t.rows > 1) {
                nest.whole.push_back(whole_tiles(dims_[1], t.y * t.rows));
            }
        }
        return nest;
    }

    static void push_points(Loops &loops, const Tile &t, DimId row_dim, DimId column_dim) {
        if (t.rows > 1) {
            loops.unroll(row_dim);
        }
        if (t.columns > 1) {
            loops.unroll(column_dim);
        }
    }

    /** How many loops go over blocks and threads. */
    static int outer_loops(const Nest &nest) {
        const auto points = std::find_if(nest.loops.begin(), nest.loops.end(),
                                         [](const Loop &l) { return l.kind == Kind::unroll; });
        return static_cast<int>(points - nest.loops.begin());
    }

    Group build(const Tile &t) const {
        Group g;
        g.root = q_.root;
        g.policy = "gpu_contraction";
        FuncId writer = q_.root;
        const StageWork written =
            made_ ? add_writer(q_, writer, g) : stage_work(q_.graph, info_.stages.front(), q_.inlined);
        const Nest nest = writer_nest(t);
        g.tree.add_at_root(writer);
        g.tree.add_stage(writer, -1, dims_, nest.loops, nest.whole, NestedStage{written});
        const LoopRef thread{writer, -1, outer_loops(nest) - 1};
        for (const FuncId f : reductions_) {
            add_reduction(f, made_ ? written.loads.back().producer : f, written, t, thread, g);
        }
        KernelStages kernel;
        kernel.tile_points = static_cast<int>(t.columns * t.rows) * static_cast<int>(reductions_.size());
        g.kernels.push_back(price_kernel(g.tree, kernel, q_.machine));
        g.cost = g.kernels.back().cost;
        return g;
    }

    /** `thread`: the writer's innermost loop over threads. */
    void add_reduction(FuncId f, FuncId made, const StageWork &written, const Tile &t, const LoopRef &thread,
                       Group &g) const {
        DimMap map = made_ ? DimMap() : dims_in_producer(written, f);
        for (DimId d = 0; made_ && d < dims_.next_id(); d++) {
            map.push_back(d);
        }
        g.tree.add_in_loop(made, thread, map);
        for (const StageId s : q_.graph.funcs[f].stages) {
            const StageWork work = stage_work(q_.graph, s, q_.inlined);
            Loops own;
            for (const DimId d : work.dims.reversed_ids()) {
                if (work.dims[d].reduction) {
                    own.split(d, 1);
                }
            }
            push_points(own, t, dims_.size() > 1 ? map[1] : DimId(-1), map[0]);
            g.tree.add_stage(made, work.update, work.dims, own, {},
                             work.update >= 0 ? std::optional(accumulating(work)) : std::nullopt);
        }
    }
};

}  // namespace

Offer gpu_contraction(const GroupRequest &q) {
    const FuncInfo &info = q.graph.funcs[q.root];
    const bool reduction = is_single_reduction(q.graph, q.root);
    const bool tile = info.stages.size() == 1 && !q.tiled.empty();
    if (!q.blocked.empty() || !q.sharing_nest.empty()) {
        return Offer::other_kind("computes nothing in its blocks but what it sums up");
    }
    if (info.extents.empty() || !(tile || (reduction && q.tiled.empty()))) {
        return Offer::other_kind("is for sums of several values, in one update, which " + info.name +
                                 " is not");
    }
    if (!tile && !may_move(q.graph, q.root)) {
        return Offer::reorders(info.name);
    }
    // Of sums that are chosen by where they are (a mask), a thread may need fewer than it has points.
    const StageWork work = stage_work(q.graph, info.stages.front(), q.inlined);
    if (std::any_of(q.tiled.begin(), q.tiled.end(), [&](FuncId f) { return chosen(work, f); })) {
        return Offer::refuse("sums up for every point of a tile, of which " + info.name +
                             " leaves some aside by where they are");
    }
    return Offer::of(Search(q).run(), "finds no tile of " + info.name + " that a block of threads can hold");
}

}  // namespace eutectic
