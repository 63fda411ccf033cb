// y(j, t) = ...;  y(j, at(i)) += x(j, i)   →   chunks of j in parallel, and in each of them every i in its
// order, a vector of j at a time; y starts in a pass of its own, row by row.
//
// A dim that an update writes at its own coordinate holds independent problems, whatever the other
// coordinates are: neither the order of the others nor any bit of the result changes. What an update does
// along other dims stays as it is defined.

#include "fusion/policies/policy.h"

namespace eutectic {

Offer scatter(const GroupRequest &q) {
    const FuncInfo &func = q.graph.funcs[q.root];
    if (func.stages.size() < 2 || func.extents.empty()) {
        return Offer::other_kind("is for updates at computed coordinates, which " + func.name +
                                 " does not have");
    }
    if (const std::string reason = not_alone(q); !reason.empty()) {
        return Offer::other_kind(reason);
    }
    for (const StageId s : func.stages) {
        const Stage &stage = q.graph.stages[s];
        const bool own_columns = stage.update < 0 ? stage.role != Role::opaque
                                                  : stage.role == Role::scatter && stage.own_innermost;
        if (!own_columns) {
            return Offer::other_kind("is for updates that write to computed coordinates of dim " +
                                     std::string("1 and further out, and to their own of the innermost: ") +
                                     func.name + " has others");
        }
    }
    std::optional<Group> best;
    const auto consider = [&](int64_t width, int64_t chunk) {
        Group g;
        g.root = q.root;
        g.policy = "scatter";
        g.tree.add_at_root(q.root);
        for (const StageId s : func.stages) {
            const Stage &stage = q.graph.stages[s];
            const StageWork work = stage_work(q.graph, s, q.inlined);
            const Nest nest = stage.update < 0
                                  ? pass_nest(q, work, width)
                                  : chunked_nest(stage, width, chunk < func.extents[0] ? 0 : -1, chunk);
            g.tree.add_stage(q.root, stage.update, stage.dims, nest.loops, nest.whole, NestedStage{work});
        }
        g.cost = price_in_turn(g.tree, q.machine);
        best = cheaper(std::move(best), std::move(g));
    };
    for (const int64_t width : vector_widths(q.machine, func.element_bytes, func.extents[0])) {
        consider(width, func.extents[0]);
        const int64_t tasks = q.machine.cores;
        const int64_t chunk = ((func.extents[0] + tasks - 1) / tasks + width - 1) / width * width;
        if (tasks > 1 && chunk < func.extents[0]) {
            consider(width, chunk);
        }
    }
    return std::move(*best);
}

}  // namespace eutectic
