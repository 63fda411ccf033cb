#include "report/arithmetic.h"

#include "fusion/plan/grade.h"
#include "report/report.h"

namespace eutectic {

namespace {

/** "inlined into a and b", "at tile of y". */
std::string placed(const Graph &graph, const Placements &placements, FuncId func) {
    const Placement &p = placements[func];
    if (p.kind != Placement::Kind::inlined) {
        return place_text(to_string(p.kind), p.consumer < 0 ? "" : graph.funcs[p.consumer].name);
    }
    const std::vector<FuncId> &into = graph.consumer_funcs(func);
    std::string names;
    for (size_t i = 0; i < into.size(); i++) {
        names += (i == 0 ? "" : i + 1 == into.size() ? " and " : ", ") + graph.funcs[into[i]].name;
    }
    return "inlined into " + names;
}

std::string why_of_func(const Graph &graph, FuncId func, Grade grade) {
    if (graph.last_stage(func).library) {
        return "the library adds up terms in an order of its own";
    }
    return grade == Grade::contracting
               ? "its products meet sums that read them, and become fused multiply-adds, rounded once"
               : "its operations meet those that read them, which a compiler may reorder or fold";
}

std::string why_of_added(const Added &added) {
    switch (added.kind) {
    case Added::Kind::partial:
        return "terms are summed up in " + std::string(added.keep_outer ? "chunks" : "parts") + " of " +
               format_count(added.factor) + ", whose results are put together";
    case Added::Kind::rewrite:
        return "the definition is changed to one that is equal but for rounding (" + added.name + ")";
    case Added::Kind::write_tile:
    case Added::Kind::pack: break;
    }
    return "terms are summed up in another order";
}

}  // namespace

std::vector<ArithmeticChange> arithmetic_changes(const Graph &graph, const FusionPlan &plan) {
    std::vector<ArithmeticChange> changes;
    const PlanNames names(graph, plan);
    for (const FuncId f : graph.funcs.ids()) {
        if (const Grade g = grade(graph, plan, f); g != Grade::exact) {
            changes.push_back({graph.funcs[f].name + ", " + placed(graph, plan.placements, f), to_string(g),
                               why_of_func(graph, f, g)});
        }
    }
    for (const Group &g : plan.groups) {
        for (const Added &a : g.added) {
            if (a.grade != Grade::exact) {
                changes.push_back(
                    {names[a.id] + ", made of " + names[a.of], to_string(a.grade), why_of_added(a)});
            }
        }
    }
    for (const Prepared &p : graph.prepared) {
        if (reassociates(p)) {
            changes.push_back({p.call, to_string(Grade::reassociating),
                               "sums have other terms than those that were written"});
        }
    }
    if (graph.approximate_functions) {
        changes.push_back({"functions and quotients of float", to_string(Grade::approximate),
                           "they are the device's own instructions, within the bounds that a note names"});
    }
    if (graph.functions_in_vectors) {
        changes.push_back({"functions of the mathematical library", "reduced precision",
                           "they are polynomials in vectors, within the bound that a note names"});
    }
    return changes;
}

}  // namespace eutectic
