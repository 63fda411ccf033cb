// y(j, i) = e(j, i) / s(i)   →   inv(i) = 1 / s(i);  y(j, i) = e(j, i) * inv(i)
//
// The product is rounded twice, hence the grade. Legal when y is pure with loops of its own (an inlined y has
// no row), still divides (no reduction took the division over), and numerics are not strict.

#include <algorithm>

#include "fusion/rewrites/late_division.h"
#include "fusion/rules/rules.h"

namespace eutectic {

namespace {

std::vector<Site> match(const Graph &graph, const Placements &placements) {
    std::vector<Site> sites;
    for (const FuncId f : graph.funcs.ids()) {
        const FuncInfo &info = graph.funcs[f];
        if (!info.input && graph.pure_stage(f).row_division && !placements[f].reciprocal) {
            sites.push_back({f, {f}});
        }
    }
    return sites;
}

Verdict legal(const Graph &graph, const Placements &placements, const Site &site) {
    const FuncInfo &f = graph.funcs[site.producer];
    const Placement::Kind kind = placements[site.producer].kind;
    if (graph.strict) {
        return Verdict::forbid("a reciprocal instead of " + f.name +
                               "'s division would round twice, which strict numerics forbid");
    }
    if (f.user_scheduled) {
        return Verdict::forbid(f.name + " carries a schedule of the user's, which is left as it is");
    }
    if (const FuncId sum = divided_late_in(graph, placements, site.producer); sum >= 0) {
        return Verdict::forbid(f.name + " no longer divides: what " + graph.funcs[sum].name +
                               " sums up is divided afterwards");
    }
    if (!materialized(placements[site.producer]) && kind != Placement::Kind::block) {
        return Verdict::forbid(
            f.name + " is computed inside another Func's expression, where no row shares its divisor");
    }
    return Verdict::allow();
}

std::vector<Placements> candidates(const Graph &graph, const Placements &placements, const Site &site) {
    const std::vector<bool> &changes = *graph.pure_stage(site.producer).row_division;
    const bool each_row = std::find(changes.begin(), changes.end(), true) != changes.end();
    const Placement &p = placements[site.producer];
    if (each_row && p.kind == Placement::Kind::with && holds_blocks(placements, p.consumer)) {
        return {};  // its loops are another Func's, and what is in their blocks needs it there
    }
    Placements next = each_row ? apart_from_pure(graph, placements, site.producer)
                               : placements;  // its reciprocals are in loops of its own
    next[site.producer].reciprocal = true;
    settle(graph, placements, next);
    return {next};
}

}  // namespace

Rule multiply_by_reciprocal() {
    return {"multiply_by_reciprocal", match, legal, candidates, true};
}

}  // namespace eutectic
