#include "fusion/plan/grade.h"

#include <algorithm>

#include "graph/data/prepared.h"

namespace eutectic {

namespace {

/** What the value of `func` goes into, through everything that passes it on and is not in memory itself. */
Arithmetic uses(const Graph &graph, const Placements &placements, FuncId func, Table<FuncId, bool> &seen) {
    Arithmetic into;
    if (seen[func]) {
        return into;
    }
    seen[func] = true;
    for (const Edge &e : graph.edges) {
        if (e.producer != func) {
            continue;
        }
        into |= e.into;
        const FuncId reader = graph.stages[e.consumer].func;
        if (e.forwarded && reader != func && !materialized(placements[reader])) {
            into |= uses(graph, placements, reader, seen);
        }
    }
    return into;
}

/** Does a reduction of `func` stay a loop, with a store after it? */
bool reduced_in_loops(const Graph &graph, const FusionPlan &plan, FuncId func) {
    int64_t points = 1;
    for (const Dim &d : graph.last_stage(func).dims) {
        points *= d.reduction ? d.extent : 1;
    }
    for (const Group &g : plan.groups) {
        const TreeFunc *const computed = g.tree.find(func);
        const auto unrolls = [](const TreeStage &s) {
            return s.update >= 0 && std::any_of(s.loops.begin(), s.loops.end(), [&](const Loop &l) {
                       return l.kind == Loop::Kind::unroll && l.dim >= 0 && s.dims[l.dim].reduction;
                   });
        };
        if (computed && std::any_of(computed->stages.begin(), computed->stages.end(), unrolls)) {
            return false;
        }
    }
    return points > 1;
}

Arithmetic results(const Graph &graph, FuncId func) {
    Arithmetic from;
    for (const StageId s : graph.funcs[func].stages) {
        from |= graph.stages[s].result;
    }
    return from;
}

Grade meeting(const Arithmetic &from, const Arithmetic &into) {
    if (!from.any() || !into.any()) {
        return Grade::exact;
    }
    const bool only_contracts = !from.sums && !from.quotients && !into.products && !into.quotients;
    return only_contracts ? Grade::contracting : Grade::reassociating;
}

}  // namespace

Grade grade(const Graph &graph, const FusionPlan &plan, FuncId func) {
    const FuncInfo &info = graph.funcs[func];
    if (!info.input && graph.last_stage(func).library) {
        return Grade::reassociating;  // wherever it is: a library has an order of its own
    }
    if (graph.strict || info.input || materialized(plan.placements[func])) {
        return Grade::exact;
    }
    if (info.stages.size() > 1 && reduced_in_loops(graph, plan, func)) {
        return Grade::exact;
    }
    Table<FuncId, bool> seen(graph.funcs.size(), false);
    return meeting(results(graph, func), uses(graph, plan.placements, func, seen));
}

Grade grade_of_inlining(const Graph &graph, const Placements &placements, FuncId func, FuncId reader) {
    Arithmetic into;
    for (const Edge &e : graph.edges) {
        const FuncId consumer = graph.stages[e.consumer].func;
        if (e.producer != func ||
            (consumer != reader && placements[consumer].kind != Placement::Kind::inlined)) {
            continue;
        }
        into |= e.into;
        if (e.forwarded && consumer != reader) {
            Table<FuncId, bool> seen(graph.funcs.size(), false);
            into |= uses(graph, placements, consumer, seen);
        }
    }
    return graph.strict ? Grade::exact : meeting(results(graph, func), into);
}

Grade grade(const Graph &graph, const FusionPlan &plan) {
    if (graph.approximate_functions) {
        return Grade::approximate;
    }
    const bool prepared = std::any_of(graph.prepared.begin(), graph.prepared.end(), reassociates);
    Grade worst = prepared ? Grade::reassociating : Grade::exact;
    for (const FuncId f : graph.funcs.ids()) {
        worst = std::max(worst, grade(graph, plan, f));
    }
    for (const Group &g : plan.groups) {
        for (const Added &a : g.added) {
            worst = std::max(worst, a.grade);
        }
    }
    return worst;
}

}  // namespace eutectic
