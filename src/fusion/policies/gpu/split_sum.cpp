// c(j, i) += a(k, i) * b(j, k);  y(j, i) = f(c(j, i))   →   p(j, i, u) += a(chunk * u + k, i) * b(j, chunk
// * u + k) in one kernel, with blocks for each u; c(j, i) += p(j, i, u) and y in the next.
//
// For few points of long sums, which would leave most of the device without work. The length of a chunk
// follows from the estimates: sums are formed in another order, but the same one at every run.

#include <algorithm>

#include "fusion/policies/gpu/gpu.h"

namespace eutectic {

namespace {

// Terms: whole steps of what goes through shared memory (shared_tile.cpp tries 8 to 64).
constexpr int64_t chunk_unit = 32;

class Search {
public:
    Search(const GroupRequest &q, FuncId sum)
        : q_(q),
          sum_(sum),
          pure_(q.graph.funcs[sum].extents.next_id()),
          update_(q.graph.last_stage(sum)),
          inlined_(q.inlined) {
        dim_ = pure_;
        for (DimId d = pure_; d < update_.dims.next_id(); d++) {
            dim_ = update_.dims[d].extent > update_.dims[dim_].extent ? d : dim_;
        }
    }

    std::optional<Group> run() {
        // A device with a point for each of its threads has work enough.
        const Gpu &gpu = *q_.machine.gpu;
        const bool enough =
            q_.graph.funcs[sum_].points() >= static_cast<int64_t>(gpu.sms) * gpu.threads_per_sm;
        if (enough || !find_stand_in()) {
            return std::nullopt;
        }
        const int64_t extent = update_.dims[dim_].extent;
        std::optional<Group> best;
        int64_t last = 0;
        for (int64_t chunks = 2; chunks <= most_chunks; chunks *= 2) {
            const int64_t chunk = ((extent + chunks - 1) / chunks + chunk_unit - 1) / chunk_unit * chunk_unit;
            if (chunk < extent && chunk != last) {
                best = cheaper(std::move(best), build(chunk, (extent + chunk - 1) / chunk));
            }
            last = chunk;
        }
        return best;
    }

private:
    // What is tried, in powers of two. Chosen, not measured: more blocks for one point than any preset has
    // SMs; with more, the second kernel has more to add up.
    static constexpr int64_t most_chunks = 256;

    const GroupRequest &q_;
    FuncId sum_;
    DimId pure_;           // the first dim of its update that is not the sum's
    const Stage &update_;  // of it
    DimId dim_ = 0;        // of the update, which is cut
    FuncId stands_ = -1;   // a Func that the sum reads and its reader does not
    Table<FuncId, bool> inlined_;

    /** For the partial results, in the graph of their sum. */
    bool find_stand_in() {
        for (const EdgeId e : update_.edges) {
            const FuncId f = q_.graph.edges[e].producer;
            Table<FuncId, bool> inlined = q_.inlined;
            inlined[f] = false;
            const StageWork written = stage_work(q_.graph, q_.graph.funcs[q_.root].stages.front(), inlined);
            if (stands_ < 0 && f != sum_ &&
                std::none_of(
                    written.loads.begin(), written.loads.end(),
                    [&](const Load &l) { return l.producer == f; })) {
                stands_ = f;
                inlined_ = inlined;
            }
        }
        return stands_ >= 0;
    }

    std::optional<Group> build(int64_t chunk, int64_t chunks) const {
        const Graph first = chunked(q_, sum_, dim_, chunk, chunks),
                    second = of_partial_sums(q_, sum_, stands_, chunks);
        const GroupRequest of_first{first, q_.machine, q_.placements, q_.inlined, q_.ids, sum_, {}, {}};
        const std::optional<Group> partial = cheaper(std::move(gpu_contraction(of_first).group()),
                                                     std::move(gpu_shared_tile(of_first).group()));
        const std::optional<Group> last = std::move(
            gpu_contraction({second, q_.machine, q_.placements, inlined_, q_.ids, q_.root, q_.tiled, {}})
                .group());
        if (!partial || !last) {
            return std::nullopt;
        }
        Group g = two_stages(q_, sum_, *partial, *last, stands_, dim_, chunk);
        g.policy = "gpu_split_sum";
        return g;
    }
};

}  // namespace

Offer gpu_split_sum(const GroupRequest &q) {
    if (!q.blocked.empty() || !q.sharing_nest.empty() || q.tiled.size() > 1) {
        return Offer::other_kind("is for one sum, at Root or in tiles of the root");
    }
    const FuncId sum = q.tiled.empty() ? q.root : q.tiled.front();
    const FuncInfo &info = q.graph.funcs[sum];
    if (!is_single_reduction(q.graph, sum) || info.extents.empty() || q.graph.last_stage(sum).edges.empty()) {
        return Offer::other_kind("is for sums of several values, in one update, which " + info.name +
                                 " is not");
    }
    if (!q.graph.may_reorder(q.graph.last_stage(sum)) || (sum == q.root && !may_move(q.graph, sum))) {
        return Offer::reorders(info.name);
    }
    if (q.graph.pure_stage(sum).wrapper || q.graph.pure_stage(q.root).wrapper) {
        return Offer::refuse("has no place for a division of " + info.name +
                             ", whose terms would be divided after they are added up");
    }
    std::optional<Group> split = Search(q, sum).run();
    const double gain = q.machine.gpu->split_sum_gain;
    if (split && gain * split->cost.total() > q.limit) {
        return Offer::refuse("would take " + format_seconds(split->cost.total()) +
                             " in two kernels, and has to take at most " + format_seconds(q.limit / gain));
    }
    return Offer::of(std::move(split), "finds no chunks of " + info.name + " that fill more of the device");
}

}  // namespace eutectic
