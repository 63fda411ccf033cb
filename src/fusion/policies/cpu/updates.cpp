// y(j, t) = ...;  y(j, at(i)) += x(j, i)   →   chunks of j in parallel, and in each of them every i in its
// order, a vector of j at a time; y starts in a pass of its own, row by row.
//
// A dim that an update writes at its own coordinate holds independent problems, whatever the other
// coordinates are, and whatever the update is: a scan, a choice, a scatter, of one value or a Tuple. So does
// a reduction variable each of whose values writes points of its own, y(r + 1) += x(r). Such dims have
// vectors and tasks. The other reduction variables keep their order, inside some of these dims and around the
// others: outside of all of them, a scan down columns goes from row to row; inside of all, the values of a
// vector stay where they are until their terms are through. Neither changes any bit of the result.

#include <algorithm>

#include "fusion/policies/policy.h"

namespace eutectic {

namespace {

/** How the loops of one update are ordered. */
struct Shape {
    int64_t width = 1;    ///< of vectors along dim 0
    int inside = 0;       ///< so many of the dims with loops of their own are inside the reduction variables
    DimId along = -1;     ///< its chunks are tasks; -1: none
    int64_t chunk = 0;    ///< points of it
    int64_t vectors = 1;  ///< side by side, where nothing else is inside the reduction variables
    bool unrolled = false;  ///< the reduction variables are code
};

class Update {
public:
    Update(const GroupRequest &q, StageId stage)
        : q_(q), stage_(q.graph.stages[stage]), work_(stage_work(q.graph, stage, q.inlined)) {
        for (const DimId d : stage_.dims.ids()) {
            if (stage_.has_free_order(d)) {
                own_.push_back(d);
            }
            if (stage_.dims[d].reduction && stage_.has_free_order(d)) {
                work_.edit().dims[d].reduction = false;  // its points are results, not terms of one
            }
        }
        std::stable_sort(own_.begin(), own_.end(), [&](DimId a, DimId b) { return place(a) < place(b); });
    }

    /** Adds the cheapest loops to `tree`. */
    void add_to(LoopTree &tree) {
        const bool columns = !own_.empty() && goes_along_rows(own_.front()) && stage_.may_be_cut(lanes());
        const int64_t extent = columns ? stage_.dims[lanes()].extent : 1;
        for (const int64_t width : vector_widths(q_.machine, work_->element_bytes, extent)) {
            for (int inside = 0; inside <= static_cast<int>(own_.size()); inside++) {
                for (const bool unrolled : {false, true}) {
                    if (!unrolled || (has_window(stage_) && (inside == 0 || decides()))) {
                        try_tasks({width, inside, -1, 0, 1, unrolled});
                    }
                }
            }
            // Several chains of terms at once, and whole lines of what is read row by row.
            for (const int64_t vectors : {2, 4}) {
                if (columns && width > 1 && vectors * width <= extent) {
                    try_tasks({width, 0, -1, 0, vectors, false});
                }
            }
        }
        tree.add_stage(q_.root, stage_.update, stage_.dims, best_, {}, priced_);
    }

private:
    const GroupRequest &q_;
    const Stage &stage_;
    SharedWork work_;
    std::vector<DimId> own_;  // those of free order, innermost first in what is written
    Loops best_;
    NestedStage priced_;
    Cost cost_;
    bool any_ = false;

    /** The dim of what is written that it goes along. */
    DimId place(DimId d) const {
        return stage_.dims[d].reduction ? stage_.goes_along[d] : d;
    }

    /** Are neighbours along `d` neighbours in memory? */
    bool goes_along_rows(DimId d) const {
        return place(d) == 0;
    }

    /** What vectors go along, if there are any. */
    DimId lanes() const {
        return own_.front();
    }

    void try_tasks(Shape shape) {
        consider(shape);
        const int64_t cores = q_.inside_block ? 1 : q_.machine.cores;
        for (size_t own = cores > 1 ? own_.size() : 0; own-- > 0;) {  // of equals the outermost
            const DimId d = own_[own];
            if (goes_along_rows(d) && has_rows_for(cores)) {
                break;
            }
            const int64_t extent = stage_.dims[d].extent, step = step_of(shape, d);
            for (const int64_t tasks_per_core : {1, 4}) {
                const int64_t tasks = tasks_per_core * cores;
                shape.along = d;
                shape.chunk = stage_.may_be_cut(d) ? chunk_of(extent, tasks, step) : 1;
                if (shape.chunk < extent) {
                    consider(shape);
                }
            }
        }
    }

    /** Are there rows enough for all cores? Parts of the same rows, one for each, are then never faster:
     * cores read and write between each other's lines. (Arguments of maxima over windows of 112 x 112 x 64 on
     * two cores: 1.3 times as long.) */
    bool has_rows_for(int64_t cores) const {
        return std::any_of(own_.begin(), own_.end(),
                           [&](DimId d) { return !goes_along_rows(d) && stage_.dims[d].extent >= cores; });
    }

    /** Is less left of the update where its reduction variables are constants? Otherwise code for each of
     * their values, with loops inside, is more to compile and nothing else. */
    bool decides() const {
        return std::any_of(work_->parts.begin(), work_->parts.end(), [&](const Part &p) {
            return p.chosen_by >= 0 && stage_.dims[p.chosen_by].reduction;
        });
    }

    int64_t step_of(const Shape &shape, DimId d) const {
        return d == lanes() ? shape.width * shape.vectors : 1;
    }

    Loops loops_of(const Shape &shape) const {
        Loops loops;
        if (shape.along >= 0) {
            loops.parallel(shape.along, shape.chunk);
        }
        const auto push = [&](size_t own) {
            const DimId d = own_[own];
            const int64_t step = step_of(shape, d);
            if (d != shape.along || shape.chunk > step) {
                loops.split(d, step);
            }
        };
        for (size_t own = own_.size(); own > static_cast<size_t>(shape.inside); own--) {
            push(own - 1);
        }
        for (const DimId d : stage_.dims.reversed_ids()) {
            if (stage_.dims[d].reduction && !stage_.has_free_order(d)) {
                loops.split(d, 1, shape.unrolled ? Loop::Kind::unroll : Loop::Kind::serial);
            }
        }
        for (size_t own = static_cast<size_t>(shape.inside); own > 0; own--) {
            push(own - 1);
        }
        if (shape.vectors > 1) {
            loops.unroll(lanes(), shape.width);
        }
        if (shape.width > 1) {
            loops.vectorize(lanes());
        }
        return loops;
    }

    void consider(const Shape &shape) {
        const Loops loops = loops_of(shape);
        LoopTree tree;
        tree.add_at_root(q_.root);
        NestedStage stage{work_};
        // With nothing but lanes inside the reduction variables, a compiler keeps what they add up to.
        stage.accumulates_in_registers = shape.inside == 0 && work_->accumulates &&
                                         (stage_.own.empty() || !stage_.written.indices.empty());
        tree.add_stage(q_.root, stage_.update, stage_.dims, loops, {}, stage);
        const Cost cost = price(tree, q_.machine);
        if (!any_ || cost.total() < cost_.total()) {
            best_ = loops;
            priced_ = std::move(stage);
            cost_ = cost;
            any_ = true;
        }
    }
};

}  // namespace

Offer updates(const GroupRequest &q) {
    const FuncInfo &func = q.graph.funcs[q.root];
    if (func.stages.size() < 2 || func.extents.empty() || is_single_reduction(q.graph, q.root)) {
        return Offer::other_kind("is for updates of several values other than a single sum, which " +
                                 func.name + " does not have");
    }
    if (const std::string reason = not_alone(q); !reason.empty()) {
        return Offer::other_kind(reason);
    }
    if (q.graph.pure_stage(q.root).role == Role::opaque) {
        return Offer::refuse("puts loops in another order, and " + func.name + " keeps its own, because " +
                             q.graph.pure_stage(q.root).why_opaque);
    }
    const auto has_own_dims = [&](StageId s) {
        const Stage &stage = q.graph.stages[s];
        bool any = false;
        for (const DimId d : stage.dims.ids()) {
            any = any || stage.has_free_order(d);
        }
        return any;
    };
    if (std::none_of(func.stages.begin() + 1, func.stages.end(), has_own_dims)) {
        return Offer::refuse("has vectors and tasks along dims that an update writes at points of its "
                             "own, of which the updates of " +
                             func.name + " have none");
    }
    Group g;
    g.root = q.root;
    g.policy = "updates";
    g.tree.add_at_root(q.root);
    for (const StageId s : func.stages) {
        if (q.graph.stages[s].update >= 0) {
            Update(q, s).add_to(g.tree);
            continue;
        }
        const StageWork work = stage_work(q.graph, s, q.inlined);
        const int64_t width = vector_widths(q.machine, func.element_bytes, func.extents[0]).front();
        g.tree.add_stage(q.root, pass_nest(q, work, width).loops, {}, NestedStage{work});
    }
    g.tree.run_in_turn();
    g.cost = price(g.tree, q.machine);
    return g;
}

}  // namespace eutectic
