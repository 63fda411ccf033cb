// h(x) = start;  h(at(i)) += e(i)   →   c(x, u) = neutral;  c(at(i), u) += e(i) over the i of chunk u, in the
// shared memory of block u, by atomic operations of its threads;  h(x) += c(x, u), by atomic operations on
// memory.
//
// Updates of one sector in memory take turns on the whole device (atomic_updates() in cost/gpu_nest.h), and a
// histogram has but a few sectors; those in shared memory take turns within a warp alone, and a block adds
// each result to memory once. Integers only, which have the same bits in any order, of 32 bits, on which
// Halide (21) emits atomic operations for every device; and results as many at every size as a block has room
// for.

#include <algorithm>

#include "fusion/policies/copies.h"
#include "fusion/policies/gpu/gpu.h"

namespace eutectic {

namespace {

using Kind = Loop::Kind;

class SharedCopies {
public:
    explicit SharedCopies(const GroupRequest &q)
        : q_(q),
          info_(q.graph.funcs[q.root]),
          update_(q.graph.last_stage(q.root)),
          pure_(info_.extents.next_id()),
          cut_(update_.dims.next_id() - 1),
          copy_(q.made("shared", q.root)) {
    }

    std::optional<Group> run() const {
        const Gpu &gpu = *q_.machine.gpu;
        const int64_t extent = update_.dims[cut_].extent;
        std::optional<Group> best;
        for (const int64_t blocks_per_sm : {1, 2, 4, 8}) {
            const int64_t chunk = (extent + blocks_per_sm * gpu.sms - 1) / (blocks_per_sm * gpu.sms);
            for (int64_t warps = 4; warps * gpu.warp_size <= gpu.threads_per_block; warps *= 2) {
                const int64_t chunks = (extent + chunk - 1) / chunk;
                if (chunks > 1) {
                    best = cheaper(std::move(best), build(chunk, chunks, warps * gpu.warp_size));
                }
            }
        }
        return best;
    }

private:
    const GroupRequest &q_;
    const FuncInfo &info_;
    const Stage &update_;
    DimId pure_;  // so many dims has the Func
    DimId cut_;   // the update's outermost, whose chunks have copies
    FuncId copy_;

    Group build(int64_t chunk, int64_t chunks, int64_t threads) const {
        Group g;
        g.root = q_.root;
        g.policy = "gpu_shared_copies";
        g.added.push_back(Added::partial("shared", copy_, q_.root, cut_, chunk, Grade::exact, true));
        const StageWork start = stage_work(q_.graph, info_.stages.front(), q_.inlined);
        g.tree.add_at_root(q_.root);
        add_kernel(points_kernel(start, DimFlags(start.dims.size(), true), {}, 0, q_.machine), q_.root, -1,
                   g);
        LoopTree kernel;
        kernel.add_at_root(q_.root);
        add_update(start, chunk, chunks, threads, kernel);
        add_update(start, chunk, chunks, threads, g.tree);
        KernelStages stages;
        stages.shared_bytes = info_.bytes();
        g.kernels.push_back(price_kernel(kernel, stages, q_.machine));
        g.cost += g.kernels.back().cost;
        return g;
    }

    /** A block for each chunk, whose threads make its copy and add that to the results. */
    void add_update(const StageWork &start, int64_t chunk, int64_t chunks, int64_t threads,
                    LoopTree &tree) const {
        Dims dims = start.dims;
        dims.push_back({"u", chunks, true, std::nullopt});
        StageWork sum = addition_work(q_.root, dims, info_.element_bytes);
        sum.loads.push_back(load_of_partials(copy_, dims, info_.bytes_per_point));
        sum.scattered_by = DimFlags(dims.size(), true);
        Loops loops;
        loops.gpu_blocks(pure_);
        over_threads(longest(sum.dims, 0, pure_), sum.dims, 0, pure_, threads, loops);
        NestedStage merged{sum};
        merged.local = merged.in_shared = {copy_};
        merged.atomic_bytes = info_.bytes();
        tree.add_stage(q_.root, loops, {}, merged);
        add_copy(start, chunk, threads, tree);
    }

    void add_copy(StageWork start, int64_t chunk, int64_t threads, LoopTree &tree) const {
        StageWork work =
            split_reduction(stage_work(q_.graph, info_.stages.back(), q_.inlined), pure_, cut_, chunk, true);
        work.func = copy_;
        work.update = 0;
        work.dims[pure_].extent = 1;  // a block's own
        DimMap position;
        for (DimId d = 0; d <= pure_; d++) {
            position.push_back(d);
        }
        TreeFunc &placed = tree.add_in_loop(copy_, {q_.root, 0, 0}, std::move(position), 1);
        placed.allocated = info_.extents;
        placed.allocated.push_back(1);
        placed.shared = shared_elements(info_);
        start.dims.push_back(work.dims[pure_]);
        Loops over_results, over_terms;
        over_threads(longest(start.dims, 0, pure_), start.dims, 0, pure_, threads, over_results);
        tree.add_stage(copy_, -1, start.dims, over_results);
        const DimId first = pure_ + 1;
        const bool rows = work.dims[first].extent >= q_.machine.gpu->warp_size;
        over_threads(rows ? first : longest(work.dims, first, work.dims.next_id()), work.dims, first,
                     work.dims.next_id(), threads, over_terms);
        NestedStage added{work};
        added.in_shared = {copy_};
        added.stores_locally = true;
        added.atomic_bytes = info_.bytes();
        tree.add_stage(copy_, over_terms, {}, added);
    }

    static DimId longest(const Dims &dims, DimId begin, DimId end) {
        DimId of = begin;
        for (DimId d = begin; d < end; d++) {
            of = dims[d].extent > dims[of].extent ? d : of;
        }
        return of;
    }

    /** Threads along `shared`, each with every `threads`-th point, inside serial loops over the other dims of
     * `begin` to `end`. */
    static void over_threads(DimId shared, const Dims &dims, DimId begin, DimId end, int64_t threads,
                             Loops &loops) {
        for (DimId d = end; d-- > begin;) {
            if (d != shared) {
                loops.split(d, 1);
            }
        }
        if (dims[shared].extent > threads) {
            loops.split(shared, threads);
        }
        loops.gpu_threads(shared);
    }
};

}  // namespace

Offer gpu_shared_copies(const GroupRequest &q) {
    if (std::optional<Offer> refusal = not_for_copies(q)) {
        return std::move(*refusal);
    }
    if (std::optional<Offer> refusal = not_mergeable(q)) {
        return std::move(*refusal);
    }
    const FuncInfo &info = q.graph.funcs[q.root];
    const Stage &update = q.graph.last_stage(q.root);
    if (!may_be_atomic(q.graph, update)) {
        return Offer::refuse("adds up by atomic operations, for integers of 32 bits, which " + info.name +
                             " does not have");
    }
    if (update.dims.next_id() == info.extents.next_id() || !update.condition.empty()) {
        return Offer::refuse("has a block for each chunk of terms, and the update of " + info.name +
                             " has no reduction variables to cut at any point");
    }
    if (!update.adds && !q.machine.gpu->any_shared_atomics) {
        return Offer::refuse("updates shared memory atomically, which in this language are additions alone, "
                             "and the update of " +
                             info.name + " is none");
    }
    for (const DimId d : info.extents.ids()) {
        if (!info.is_constant(d)) {
            return Offer::refuse("keeps all of " + info.name +
                                 " in a block's shared memory, and how many they are depends on the caller's "
                                 "buffers: bound() them, or set_bounds() of an output");
        }
    }
    if (info.bytes() > q.machine.gpu->shared_bytes_per_block) {
        return Offer::refuse("keeps all of " + info.name +
                             " in a block's shared memory, which has room for " +
                             std::to_string(q.machine.gpu->shared_bytes_per_block) + " bytes, and they are " +
                             std::to_string(info.bytes()));
    }
    return Offer::of(SharedCopies(q).run(),
                     "has a block for each chunk of terms, and " + info.name + " too few of them");
}

}  // namespace eutectic
