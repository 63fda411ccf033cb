// h(x) = start;  h(at(i)) += e(i)   →   c(x, u) = neutral;  c(at(i), u) += e(i) over the i of chunk u, a
// thread for each chunk;  h(x) += c(x, u), a thread for each x.
//
// Threads that add floats to points which are known only at run time would meet, in an order that is another
// at every run. Each chunk has a copy of its own instead, which one thread alone writes, in the order of the
// terms, and the copies are merged in the order of the chunks: the same bits at every run. Integers of 32
// bits have atomic operations, too (points.cpp); of others, and of Tuples, copies are all there is.

#include <algorithm>
#include <utility>

#include "fusion/policies/copies.h"
#include "fusion/policies/gpu/gpu.h"

namespace eutectic {

namespace {

// Of all copies. Chosen, not measured: a device has tens of GB, and other buffers beside these.
constexpr Bytes most_bytes = Bytes{1} << 30;

class Copies {
public:
    explicit Copies(const GroupRequest &q)
        : q_(q),
          info_(q.graph.funcs[q.root]),
          update_(q.graph.last_stage(q.root)),
          pure_(info_.extents.next_id()),
          cut_(dim_to_cut(update_, pure_)),
          copy_(q.made("chunks", q.root)) {
    }

    std::optional<Group> run() const {
        const int64_t extent = update_.dims[cut_].extent;
        std::optional<Group> best;
        for (int64_t chunks = q_.machine.gpu->warp_size; chunks <= extent; chunks *= 2) {
            const int64_t chunk = (extent + chunks - 1) / chunks, whole = (extent + chunk - 1) / chunk;
            if (whole > 1 && info_.bytes() * whole <= most_bytes) {
                best = cheaper(std::move(best), build(chunk, whole));
            }
        }
        return best;
    }

private:
    const GroupRequest &q_;
    const FuncInfo &info_;
    const Stage &update_;
    DimId pure_;  // so many dims has the Func
    DimId cut_;   // the update's dim whose chunks have copies
    FuncId copy_;

    /** The longest reduction dim; where terms keep their order, the outermost. */
    static DimId dim_to_cut(const Stage &update, DimId pure) {
        DimId cut = pure;
        for (DimId d = pure; d < update.dims.next_id(); d++) {
            const bool better = update.reassociable ? update.dims[d].extent > update.dims[cut].extent
                                                    : update.dims[d].extent > 1;
            cut = better ? d : cut;
        }
        return cut;
    }

    Group build(int64_t chunk, int64_t chunks) const {
        Group g;
        g.root = q_.root;
        g.policy = "gpu_copies";
        g.added.push_back(Added::partial("chunks", copy_, q_.root, cut_, chunk,
                                         update_.mergeable_exactly ? Grade::exact : Grade::reassociating,
                                         true));
        add_copies(chunk, g);
        add_sum(chunks, g);
        g.cost.launch += q_.machine.gpu->allocation_seconds;
        return g;
    }

    void add(const StageWork &work, const DimFlags &looped, Group &g, const DimFlags &whole = {}) const {
        add_kernel(points_kernel(work, looped, whole, 0, q_.machine), work.func, work.update, g);
    }

    void add_copies(int64_t chunk, Group &g) const {
        StageWork work =
            split_reduction(stage_work(q_.graph, info_.stages.back(), q_.inlined), pure_, cut_, chunk, true);
        work.func = copy_;
        work.update = 0;
        StageWork start = stage_work(q_.graph, info_.stages.front(), q_.inlined);
        start.func = copy_;
        start.dims.push_back(work.dims[pure_]);
        for (Load &load : start.loads) {
            for (Index &i : load.access.indices) {
                i.scale.push_back(0);
            }
        }
        for (Part &part : start.parts) {
            part.depends.push_back(false);
        }
        DimFlags looped = loops_of_points(q_.graph, update_), whole = update_.condition;
        looped.insert(looped.begin() + pure_, true);
        if (!whole.empty()) {
            whole.insert(whole.begin() + pure_, false);
        }
        g.tree.add_at_root(copy_);
        add(start, DimFlags(start.dims.size(), true), g);
        add(work, looped, g, whole);
    }

    void add_sum(int64_t chunks, Group &g) const {
        const StageWork start = stage_work(q_.graph, info_.stages.front(), q_.inlined);
        Dims dims = start.dims;
        dims.push_back({"u", chunks, true, std::nullopt});
        StageWork sum = addition_work(q_.root, dims, info_.element_bytes);
        sum.stored_bytes = info_.bytes_per_point;
        sum.stores = info_.tuple_size;
        sum.loads.push_back(load_of_partials(copy_, dims, info_.bytes_per_point));
        g.tree.add_at_root(q_.root);
        add(start, DimFlags(start.dims.size(), true), g);
        add(sum, DimFlags(dims.size(), true), g);
    }
};

}  // namespace

Offer gpu_copies(const GroupRequest &q) {
    if (std::optional<Offer> refusal = not_for_copies(q)) {
        return std::move(*refusal);
    }
    if (std::optional<Offer> refusal = not_mergeable(q)) {
        return std::move(*refusal);
    }
    const FuncInfo &info = q.graph.funcs[q.root];
    const Stage &update = q.graph.last_stage(q.root);
    if (update.dims.next_id() == info.extents.next_id()) {
        return Offer::refuse("has a copy for each chunk of terms, and the update of " + info.name +
                             " has no reduction variables to cut");
    }
    return Offer::of(Copies(q).run(),
                     "has a copy for each chunk of terms, and " + info.name + " too few of them");
}

}  // namespace eutectic
