// y(d0, d1, ...) = e   →   blocks of threads over d0 (and d1, where rows are short); a thread computes 1, 2
// or 4 points that lie as far apart as a block has threads, so that neighbouring threads read neighbouring
// values and enough loads are under way at once; or, where wide.cpp allows it, are 4 neighbours that one
// instruction loads. Tails are guarded: right for every size, and nothing is computed twice.
//
// h(e(r)) += g(r), of integers   →   the same over r: threads share the terms, and each adds its own by an
// atomic operation, for the sum has the same bits in any order.

#include <algorithm>

#include "fusion/policies/gpu/gpu.h"

namespace eutectic {

namespace {

constexpr int64_t most_threads =
    256;  // of a block without shared memory: larger ones leave more idle at the end, and no more run at once

/** Loops over blocks that are left as they are: more are fused (schedules/emit/loops.cpp), and Halide (21)
 * fuses none over a reduction variable with one over a dim of the Func. */
constexpr size_t unfused_blocks = 2;

bool is_whole(const DimFlags &whole, DimId d) {
    return whole.contains(d) && whole[d];
}

/** Which of the `looped` dims threads share: those of the Func, and, if `terms`, reduction variables, too; of
 * these together only the first. Those of `whole` come last: blocks' alone, where there are others. (Where
 * there are none, Halide (21) asks for what the condition reads of all of the last block, and fails at run
 * time if the data have less: a block of one thread has no loop to cut, but takes warp_size times as long.)
 */
std::vector<DimId> shared_dims(const DimFlags &looped, const DimFlags &whole, const Dims &dims, bool terms) {
    std::vector<DimId> of;
    bool any_terms = false;
    for (const bool last : {false, true}) {
        for (const DimId d : dims.ids()) {
            if (is_whole(whole, d) == last && looped[d] && (terms || !dims[d].reduction)) {
                of.push_back(d);
                any_terms = any_terms || dims[d].reduction;
            }
        }
    }
    of.resize(any_terms ? std::min(of.size(), unfused_blocks) : of.size());
    return of;
}

/** Loops over blocks of everything beyond the first two of the dims that threads share; `x` threads along the
 * first, `y` along the second, `points` for each thread, and what is left in loops inside it. `looped`: the
 * dims that have loops. */
Nest nest_of(const DimFlags &looped, const std::vector<DimId> &of, const Dims &dims, int64_t x, int64_t y,
             int64_t points) {
    Nest nest;
    if (of.empty()) {
        nest.loops.repeat(1, Loop::Kind::gpu_block).repeat(1, Loop::Kind::gpu_thread);
        return nest;
    }
    for (size_t i = of.size(); i-- > 2;) {
        nest.loops.gpu_blocks(of[i]);
    }
    if (of.size() > 1) {
        nest.loops.gpu_blocks(of[1], y);
    }
    nest.loops.gpu_blocks(of[0], x * points);
    if (of.size() > 1 && y > 1) {
        nest.loops.gpu_threads(of[1]);
    }
    nest.loops.gpu_threads(of[0]);
    if (points > 1) {
        nest.loops.insert(nest.loops.size() - 1, {of[0], x, Loop::Kind::unroll});
    }
    for (const DimId d : dims.reversed_ids()) {
        if (looped[d] && std::find(of.begin(), of.end(), d) == of.end()) {
            nest.loops.split(d, 1);
        }
    }
    return nest;
}

/** Has what an update does an order, for its effects? */
bool is_ordered(const Graph &graph, const Stage &stage) {
    return stage.update >= 0 && graph.pure_stage(stage.func).role == Role::opaque;
}

/** Loops over threads of points: how many threads along the first two dims, and points of each. */
struct PointsShape {
    int64_t x = 1, y = 1, points = 1;
    bool wide = false;  ///< its points are neighbours, and one vector
};

/** Those worth trying, of equals the better first: wide ones take fewer instructions, and what a launch costs
 * does not tell. */
std::vector<PointsShape> shapes(int64_t warp, bool wide) {
    std::vector<PointsShape> all;
    for (const bool of_vectors : {true, false}) {
        for (const int64_t warps : {4, 8, 2, 1}) {
            const int64_t x = warps * warp;
            for (int64_t y = 1; x * y <= most_threads; y *= 2) {
                for (const int64_t points : {1, 2, 4}) {
                    if (!of_vectors) {
                        all.push_back({x, y, points, false});
                    } else if (wide && points == 4) {
                        all.push_back({x, y, points, true});
                    }
                }
            }
        }
    }
    return all;
}

/** The loops of `as` with a vector of each thread's points. */
Loops with_vectors(const Loops &as, DimId along, int64_t points) {
    Loops loops;
    for (const Loop &l : as) {
        if (l.dim == along && l.kind == Loop::Kind::unroll) {
            continue;
        }
        Loop guarded = l;
        guarded.tail = Loop::Tail::guarded;
        guarded.size = l.dim == along && l.kind == Loop::Kind::gpu_thread ? points : l.size;
        loops.nest(guarded);
    }
    return loops.vectorize(along);
}

}  // namespace

bool may_be_atomic(const Graph &graph, const Stage &stage) {
    const FuncInfo &info = graph.funcs[stage.func];
    bool elsewhere = false;
    for (const DimId d : info.extents.ids()) {
        elsewhere = elsewhere || !stage.is_own(d);
    }
    return stage.update >= 0 && stage.order_free && elsewhere && info.tuple_size == 1 &&
           info.element_bytes == 4 && !is_ordered(graph, stage);
}

PointsKernel points_kernel(const StageWork &work, const DimFlags &looped, const DimFlags &whole,
                           Bytes atomic_bytes, const Machine &machine, const WideAccess &wide) {
    const std::vector<DimId> of = shared_dims(looped, whole, work.dims, atomic_bytes > 0);
    const int64_t first = of.empty() ? 1 : work.dims[of[0]].extent,
                  second = of.size() < 2 ? 1 : work.dims[of[1]].extent;
    const int64_t warp = machine.gpu->warp_size;
    PointsKernel best;
    bool any = false;
    for (const PointsShape &s : shapes(warp, wide.points > 1 && !of.empty() && of[0] == 0)) {
        if (s.y > 1 && of.size() > 1 && is_whole(whole, of[1])) {
            continue;
        }
        const int64_t along = s.x * s.points;
        if ((along > warp && along >= 2 * first) || (s.y > 1 && s.y >= 2 * second)) {
            continue;  // wasteful
        }
        LoopTree tree;
        tree.add_at_root(work.func);
        NestedStage stage{work};
        stage.accumulates_in_registers = work.accumulates && atomic_bytes == 0;
        stage.atomic_bytes = atomic_bytes;
        const Loops loops = nest_of(looped, of, work.dims, s.x, s.y, s.points).loops;
        TreeStage &placed =
            tree.add_stage(work.func, s.wide ? with_vectors(loops, of[0], s.points) : loops, {}, stage);
        if (s.wide) {
            placed.whole = wide.conditions;
            placed.otherwise = loops;
        }
        KernelStages kernel;
        kernel.tile_points = static_cast<int>(s.points);
        const KernelPrice price = price_kernel(tree, kernel, machine);
        if (!any || price.cost.total() < best.price.cost.total()) {
            best = {std::move(tree), price};
            any = true;
        }
    }
    return best;
}

void add_kernel(const PointsKernel &kernel, FuncId func, int update, Group &g) {
    const TreeStage &loops = kernel.tree.at(func, update);
    g.tree.add_stage(func, loops.loops, loops.whole, *loops.priced).otherwise = loops.otherwise;
    g.kernels.push_back(kernel.price);
    g.cost += kernel.price.cost;
}

DimFlags loops_of_points(const Graph &graph, const Stage &stage) {
    DimFlags looped;
    for (const DimId d : stage.dims.ids()) {
        looped.push_back(stage.dims[d].reduction || (stage.is_own(d) && !is_ordered(graph, stage)));
    }
    return looped;
}

Offer gpu_points(const GroupRequest &q) {
    if (const std::string reason = not_alone(q); !reason.empty()) {
        return Offer::other_kind(reason);
    }
    const FuncInfo &info = q.graph.funcs[q.root];
    Group g;
    g.root = q.root;
    g.policy = "gpu_points";
    g.tree.add_at_root(q.root);
    for (const StageId s : info.stages) {
        const Stage &stage = q.graph.stages[s];
        if (stage.external) {
            return Offer::refuse("has no threads for the extern stage " + info.name);
        }
        const StageWork work = stage_work(q.graph, s, q.inlined);
        const DimFlags looped = loops_of_points(q.graph, stage);
        PointsKernel kernel =
            points_kernel(work, looped, stage.condition, 0, q.machine, wide_access(q, work));
        if (may_be_atomic(q.graph, stage)) {
            PointsKernel atomic = points_kernel(work, looped, stage.condition, info.bytes(), q.machine);
            if (atomic.price.cost.total() < kernel.price.cost.total()) {
                kernel = std::move(atomic);
            }
        }
        add_kernel(kernel, q.root, stage.update, g);
    }
    return g;
}

}  // namespace eutectic
