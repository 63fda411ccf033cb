// h(x) = start;  h(at(i)) += e(i)   →   c(x, u) = neutral;  c(at(i), u) += e(i) over the i of chunk u,
// chunks in parallel;  h(x) += c(x, u), a vector of x at a time.
//
// Which points an update reaches may be known only when it runs, so two tasks may meet at any of them. Each
// therefore has a copy of its own (rfactor), which it alone writes, in the order of the terms; the copies are
// merged at the end, always in the same order whatever the number of threads. Where there are more points
// than terms, one core is faster: prices say so.
//
// s() = Tuple(…);  s() = merge(s(), e(i))   →   the same: the place of the largest of all, which needs
// the order of its terms, keeps it inside a chunk and from chunk to chunk.

#include <algorithm>
#include <utility>

#include "fusion/policies/copies.h"

namespace eutectic {

namespace {

class PrivateCopies {
public:
    explicit PrivateCopies(const GroupRequest &q)
        : q_(q),
          info_(q.graph.funcs[q.root]),
          update_(q.graph.last_stage(q.root)),
          pure_(info_.extents.next_id()),
          cut_(outermost_long_enough()),
          copy_(q.made("chunks", q.root)) {
    }

    std::optional<Group> run() const {
        std::optional<Group> best;
        const int64_t extent = update_.dims[cut_].extent;
        for (const int64_t tasks_per_core : {1, 4}) {
            const int64_t tasks = tasks_per_core * q_.machine.cores, chunk = chunk_of(extent, tasks);
            const int64_t chunks = (extent + chunk - 1) / chunk;
            for (const bool together : {false, true}) {
                if (chunks > 1 && (!together || pure_ > 0)) {
                    best = cheaper(std::move(best), build(chunk, chunks, together));
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
    DimId cut_;   // the update's dim whose chunks are tasks
    FuncId copy_;

    /** The outermost reduction dim of which there is a point for each core, or else the longest; where terms
     * keep their order, no dim with others outside it. */
    DimId outermost_long_enough() const {
        DimId longest = pure_;
        for (DimId d = update_.dims.next_id() - 1; d >= pure_; d--) {
            const int64_t extent = update_.dims[d].extent;
            if (extent >= q_.machine.cores || (extent > 1 && !update_.reassociable)) {
                return d;
            }
            longest = update_.dims[d].extent > update_.dims[longest].extent ? d : longest;
        }
        return longest;
    }

    int64_t lanes() const {
        return pure_ == 0 ? 1 : vector_widths(q_.machine, info_.element_bytes, info_.extents[0]).front();
    }

    /** Loops over the Func's own dims inside `around`, with vectors along the first. */
    Loops over_points(Loops around) const {
        for (DimId d = pure_ - 1; d > 0; d--) {
            around.split(d, 1);
        }
        return columns(around);
    }

    Loops columns(Loops around) const {
        if (pure_ > 0) {
            around.split(0, lanes());
            if (lanes() > 1) {
                around.vectorize(0);
            }
        }
        return around;
    }

    /** `together`: several cores add up the copies, too. */
    Group build(int64_t chunk, int64_t chunks, bool together) const {
        Group g;
        g.root = q_.root;
        g.policy = "private_copies";
        g.added.push_back(Added::partial("chunks", copy_, q_.root, cut_, chunk,
                                         update_.mergeable_exactly ? Grade::exact : Grade::reassociating,
                                         true));
        add_copies(chunk, g);
        add_sum(chunks, together, g);
        g.tree.run_in_turn();
        g.cost = price(g.tree, q_.machine);
        g.cost.launch += allocation_cost(info_.bytes() * chunks, q_.machine);
        return g;
    }

    void add_copies(int64_t chunk, Group &g) const {
        StageWork work =
            split_reduction(stage_work(q_.graph, info_.stages.back(), q_.inlined), pure_, cut_, chunk, true);
        work.func = copy_;
        StageWork start = stage_work(q_.graph, info_.stages.front(), q_.inlined);
        start.func = copy_;
        start.dims.push_back(work.dims[pure_]);
        for (Load &load : start.loads) {
            for (Index &i : load.access.indices) {
                i.scale.push_back(0);
            }
        }
        Loops tasks;
        tasks.parallel(pure_, 1);
        Loops terms = tasks;
        for (DimId d = work.dims.next_id() - 1; d > pure_; d--) {
            terms.split(d, 1);
        }
        g.tree.add_at_root(copy_);
        g.tree.add_stage(copy_, -1, start.dims, over_points(tasks));
        g.tree.add_stage(copy_, 0, work.dims, terms, {}, NestedStage{work});
    }

    void add_sum(int64_t chunks, bool together, Group &g) const {
        const StageWork start = stage_work(q_.graph, info_.stages.front(), q_.inlined);
        Dims dims = start.dims;
        dims.push_back({"u", chunks, true, std::nullopt});
        const StageWork add = addition_work(q_.root, dims, info_.element_bytes);
        Loops around;
        if (together) {
            const int64_t share = (info_.extents[0] + q_.machine.cores - 1) / q_.machine.cores;
            around.parallel(0, (share + lanes() - 1) / lanes() * lanes());
        }
        g.tree.add_at_root(q_.root);
        g.tree.add_stage(q_.root, over_points({}), {}, NestedStage{start});
        around.split(pure_, 1);
        g.tree.add_stage(q_.root, over_points(around), {}, NestedStage{add, {}, {copy_}});
    }
};

}  // namespace

Offer private_copies(const GroupRequest &q) {
    if (std::optional<Offer> refusal = not_for_copies(q)) {
        return std::move(*refusal);
    }
    if (q.machine.cores < 2 || q.inside_block) {
        return Offer::refuse("is for several cores");
    }
    if (std::optional<Offer> refusal = not_mergeable(q)) {
        return std::move(*refusal);
    }
    const FuncInfo &info = q.graph.funcs[q.root];
    const Stage &update = q.graph.last_stage(q.root);
    if (update.dims.next_id() == info.extents.next_id()) {
        return Offer::refuse("has a copy for each task, and the update of " + info.name +
                             " has no reduction variables to make tasks of");
    }
    return Offer::of(PrivateCopies(q).run(),
                     "has a copy for each task, and " + info.name + " too few terms for two");
}

}  // namespace eutectic
