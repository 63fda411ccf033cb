// s(i) += e(k, i), k contiguous   →   p(i, u) += e(16 * ko + u, i) with u in lanes, inside the loop over i;
// s(i) += p(i, u).
//
// The partial results are an rfactor of the reduction: sums are formed in another order, hence the grade.

#include <algorithm>
#include <limits>
#include <numeric>

#include "fusion/policies/policy.h"

namespace eutectic {

namespace {

struct Choice {
    DimId dim;       ///< the reduction dim that is split
    int64_t factor;  ///< partial results
    int64_t lanes;
    DimId parallel;  ///< pure dim whose chunks run in parallel, or -1
    int64_t chunk;
};

class Search {
public:
    explicit Search(const GroupRequest &q)
        : q_(q),
          info_(q.graph.funcs[q.root]),
          update_(q.graph.last_stage(q.root)),
          pure_dims_(info_.extents.next_id()) {
    }

    std::optional<Group> run() {
        for (DimId d = pure_dims_; d < update_.dims.next_id(); d++) {
            const int64_t extent = update_.dims[d].extent;
            const int64_t lanes = q_.machine.lanes(info_.element_bytes);
            if (!contiguous(d) || extent < lanes || lanes < 2) {
                continue;
            }
            Seconds before = std::numeric_limits<Seconds>::infinity();
            for (int64_t vectors = 1; vectors <= 8 && vectors * lanes <= extent; vectors *= 2) {
                const Seconds compute = try_parallel({d, vectors * lanes, lanes, -1, 0});
                if (vectors > 1) {
                    try_parallel({d, vectors * lanes, 2 * lanes, -1, 0});
                }
                if (compute > (1 - q_.machine.partial_result_gain) * before) {
                    break;
                }
                before = compute;
            }
        }
        return best_;
    }

private:
    const GroupRequest &q_;
    const FuncInfo &info_;
    const Stage &update_;
    DimId pure_dims_;
    std::optional<Group> best_;

    bool contiguous(DimId d) const {
        const StageWork work = stage_work(q_.graph, info_.stages.back(), q_.inlined);
        return std::any_of(work.loads.begin(), work.loads.end(), [&](const Load &l) {
            return !l.access.indices.empty() && l.access.indices[0].affine &&
                   l.access.indices[0].scale[d] == 1;
        });
    }

    /** Its seconds of computing on one core. */
    Seconds try_parallel(Choice c) {
        const Group serial = build(c);
        best_ = cheaper(std::move(best_), serial);
        for (c.parallel = 0; c.parallel < pure_dims_ && q_.machine.cores > 1; c.parallel++) {
            const int64_t extent = update_.dims[c.parallel].extent;
            for (const int64_t tasks_per_core : {1, 4}) {
                const int64_t tasks = tasks_per_core * q_.machine.cores;
                c.chunk = chunk_of(extent, tasks);
                if (c.chunk < extent) {
                    best_ = cheaper(std::move(best_), build(c));
                }
            }
        }
        return serial.cost.compute;
    }

    /** Loops over the pure dims, outermost first; the parallel one first of all. */
    Nest outer_nest(const Choice &c) const {
        Nest nest;
        if (c.parallel >= 0) {
            nest.loops.parallel(c.parallel, c.chunk);
        }
        for (const DimId d : info_.extents.reversed_ids()) {
            if (d != c.parallel || c.chunk > 1) {
                nest.loops.split(d, 1);
            }
        }
        return nest;
    }

    Group build(const Choice &c) const {
        Group g;
        g.root = q_.root;
        g.policy = "row_reduction";
        const FuncId partial = q_.made("lanes", q_.root);
        g.added.push_back(Added::partial("lanes", partial, q_.root, c.dim, c.factor,
                                         update_.order_free ? Grade::exact : Grade::reassociating));
        const Nest outer = outer_nest(c);
        const int depth = static_cast<int>(outer.loops.size());
        g.tree.add_at_root(q_.root);
        add_init(g);
        add_final(c, outer, g);
        DimMap position(pure_dims_ + 1);
        std::iota(position.begin(), position.end(), 0);
        TreeFunc &lanes = depth > 0 ? g.tree.add_in_loop(partial, {q_.root, 0, depth - 1}, position)
                                    : g.tree.add_at_root(partial);
        lanes.storage = {pure_dims_};
        for (const DimId d : info_.extents.ids()) {
            lanes.storage.push_back(d);
        }
        add_partial(c, partial, g);
        g.cost = price(g.tree, q_.machine);
        return g;
    }

    void add_init(Group &g) const {
        StageWork work = stage_work(q_.graph, info_.stages.front(), q_.inlined);
        const int64_t width =
            pure_dims_ == 0 ? 1 : vector_widths(q_.machine, info_.element_bytes, work.dims[0].extent).front();
        g.tree.add_stage(q_.root, plain_nest(work.dims.size(), width).loops, {}, {work});
    }

    /** s(i) += p(i, u): `factor` additions a row. */
    void add_final(const Choice &c, const Nest &outer, Group &g) const {
        Dims dims;
        dims.insert(dims.end(), update_.dims.begin(), update_.dims.begin() + pure_dims_);
        dims.push_back({"u", c.factor, true, std::nullopt, true});
        const StageWork work = addition_work(q_.root, dims, info_.element_bytes);
        Nest nest = outer;
        nest.loops.vectorize(pure_dims_);
        // Only of a row that fills the lanes is their number known; of a shorter one they are summed up one
        // by one.
        const Dim &along = update_.dims[c.dim];
        if (along.at_least) {
            nest.whole = {whole_tiles(along, c.factor)};
        }
        g.tree.add_stage(q_.root, nest.loops, nest.whole, {work, {}, {}, false, true});
    }

    void add_partial(const Choice &c, FuncId partial, Group &g) const {
        const StageWork work = split_reduction(stage_work(q_.graph, info_.stages.back(), q_.inlined),
                                               pure_dims_, c.dim, c.factor, false);
        Loops lanes, terms;
        if (c.factor > c.lanes) {
            lanes.unroll(pure_dims_, c.lanes);
        }
        lanes.vectorize(pure_dims_);
        for (DimId d = work.dims.next_id() - 1; d > pure_dims_; d--) {
            terms.split(d, 1);
        }
        terms.nest(lanes);
        g.tree.add_stage(partial, -1, work.dims, lanes);
        g.tree.add_stage(partial, 0, work.dims, terms, {}, NestedStage{work, {}, {}, true, true});
    }
};

}  // namespace

Offer row_reduction(const GroupRequest &q) {
    const std::string &name = q.graph.funcs[q.root].name;
    if (!is_single_reduction(q.graph, q.root)) {
        return Offer::other_kind("is for a sum in one update of one value, which " + name + " is not");
    }
    if (const std::string reason = not_alone(q); !reason.empty()) {
        return Offer::other_kind(reason);
    }
    if (!q.graph.may_reorder(q.graph.last_stage(q.root))) {
        return Offer::reorders(name);
    }
    return Offer::of(Search(q).run(), "needs a reduction variable of " + name +
                                          " along contiguous memory, with at least a vector of terms");
}

}  // namespace eutectic
