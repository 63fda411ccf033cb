// y(d0, d1, ...) = e   →   blocks of threads over d0 (and d1, where rows are short); a thread computes 1, 2
// or 4 points that lie as far apart as a block has threads, so that neighbouring threads read neighbouring
// values and enough loads are under way at once. Tails are guarded: right for every size, and nothing is
// computed twice.

#include <algorithm>

#include "fusion/policies/gpu/gpu.h"

namespace eutectic {

namespace {

constexpr int64_t most_threads =
    256;  // of a block without shared memory: larger ones leave more idle at the end, and no more run at once

/** Loops over blocks of everything beyond the first two looped dims; `x` threads along the first, `y` along
 * the second, `points` for each thread. */
Nest nest_of(const DimFlags &looped, const Dims &dims, int64_t x, int64_t y, int64_t points) {
    std::vector<DimId> of;
    for (const DimId d : dims.ids()) {
        if (looped[d] && !dims[d].reduction) {
            of.push_back(d);
        }
    }
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
        if (dims[d].reduction) {
            nest.loops.split(d, 1);
        }
    }
    return nest;
}

/** Over which dims `stage` has loops that threads may share. */
DimFlags loops_of(const Graph &graph, const Stage &stage) {
    // What an update with effects does has an order.
    const bool ordered = stage.update >= 0 && graph.pure_stage(stage.func).role == Role::opaque;
    DimFlags looped;
    for (const DimId d : stage.dims.ids()) {
        looped.push_back(stage.dims[d].reduction || (stage.is_own(d) && !ordered));
    }
    return looped;
}

/** A kernel of one stage. */
struct PointsKernel {
    LoopTree tree;
    KernelPrice price;
};

/** The cheapest with a thread for each point, or for several, of `work`. `looped`: the dims that loops go
 * over (others have none: the update computes its coordinates of them). */
PointsKernel points_kernel(const StageWork &work, const DimFlags &looped, const Machine &machine) {
    int64_t first = 1, second = 1;  // extents of the first looped dims
    int found = 0;
    for (const DimId d : work.dims.ids()) {
        if (looped[d] && !work.dims[d].reduction) {
            (found == 0 ? first : second) = found < 2 ? work.dims[d].extent : second;
            found++;
        }
    }
    PointsKernel best;
    bool any = false;
    for (const int64_t warps : {4, 8, 2, 1}) {  // of equals the first
        const int64_t x = warps * machine.gpu->warp_size;
        for (int64_t y = 1; x * y <= most_threads; y *= 2) {
            for (const int64_t points : {1, 2, 4}) {
                const bool wasteful = (x * points > machine.gpu->warp_size && x * points >= 2 * first) ||
                                      (y > 1 && y >= 2 * second);
                if (wasteful) {
                    continue;
                }
                LoopTree tree;
                tree.add_at_root(work.func);
                NestedStage stage{work};
                stage.accumulates_in_registers = work.accumulates;
                tree.add_stage(work.func, nest_of(looped, work.dims, x, y, points).loops, {}, stage);
                KernelStages kernel;
                kernel.tile_points = static_cast<int>(points);
                const KernelPrice price = price_kernel(tree, kernel, machine);
                if (!any || price.cost.total() < best.price.cost.total()) {
                    best = {std::move(tree), price};
                    any = true;
                }
            }
        }
    }
    return best;
}

}  // namespace

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
        const PointsKernel kernel =
            points_kernel(stage_work(q.graph, s, q.inlined), loops_of(q.graph, stage), q.machine);
        const TreeStage &loops = kernel.tree.at(q.root, stage.update);
        g.tree.add_stage(q.root, loops.loops, {}, *loops.priced);
        g.kernels.push_back(kernel.price);
        g.cost += kernel.price.cost;
    }
    return g;
}

}  // namespace eutectic
