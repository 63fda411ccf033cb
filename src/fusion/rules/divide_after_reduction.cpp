// c(j, i) += e(k, i) / s(i) * v(j, k)   →   c(j, i) += e(k, i) * v(j, k), and whoever reads c(j, i) gets c(j,
// i) / s(i)
//
// One division an element of c instead of one a term; e / s, a Func of its own or written out, need not
// exist. The same with a factor s(i). Terms are rounded otherwise, hence the grade. Legal when 1. numerics
// are not strict, 2. c starts at 0 (any other start would be divided too), 3. neither c nor the quotient is
// scheduled or kept by the user, 4. c has a dim, to be written tile by tile, 5. no extern stage takes c as a
// buffer. Other readers of the quotient keep it, divided. schedules/rewrites.h says what becomes of zeros,
// infinities and overflow.

#include "fusion/rewrites/late_division.h"
#include "fusion/rules/rules.h"

namespace eutectic {

namespace {

std::vector<Site> match(const Graph &graph, const Placements &placements) {
    std::vector<Site> sites;
    for (const FuncId f : graph.funcs.ids()) {
        const FuncInfo &info = graph.funcs[f];
        if (!info.input && info.stages.size() == 2 && graph.last_stage(f).late_division &&
            !placements[f].divide_late) {
            sites.push_back({f, {f}});
        }
    }
    return sites;
}

Verdict legal(const Graph &graph, const Placements &, const Site &site) {
    const FuncInfo &c = graph.funcs[site.producer];
    const LateDivision &late = *graph.last_stage(site.producer).late_division;
    if (graph.strict) {
        return Verdict::forbid("dividing the sum " + c.name +
                               " instead of its terms would round otherwise, which strict numerics forbid");
    }
    for (const FuncId f : {site.producer, late.quotient}) {
        if (f < 0) {
            continue;
        }
        const FuncInfo &info = graph.funcs[f];
        if (info.user_scheduled) {
            return Verdict::forbid(info.name + " carries a schedule of the user's, which is left as it is");
        }
        if (!info.kept.empty()) {
            return Verdict::forbid(info.name + " " + info.kept);
        }
    }
    if (!late.from_zero) {
        return Verdict::forbid(c.name +
                               " does not start at 0, and what it starts at would be divided with the sum");
    }
    if (c.extents.empty()) {
        return Verdict::forbid(c.name + " is a single value: it has no tile whose writer could divide");
    }
    for (const StageId s : graph.consumers(site.producer)) {
        const Stage &reader = graph.stages[s];
        if (reader.external) {
            return Verdict::forbid(graph.funcs[reader.func].name + " is an extern stage, which takes " +
                                   c.name + " as a buffer");
        }
    }
    return Verdict::allow();
}

/** The division alone, and with what is left of the quotient inlined: where that was only a quotient of two
 * Funcs, nothing remains to be stored. */
std::vector<Placements> candidates(const Graph &graph, const Placements &placements, const Site &site) {
    Placements next = placements;
    next[site.producer].divide_late = true;
    const FuncId undivided = undivided_quotient(graph, site.producer);
    if (undivided >= 0) {
        next[undivided].reciprocal = false;
    }
    settle(graph, placements, next);
    std::vector<Placements> result{next};
    const FuncId quotient = graph.last_stage(site.producer).late_division->quotient;
    if (quotient >= 0 && next[quotient].kind != Placement::Kind::inlined &&
        may_inline(graph, next, {quotient, {site.producer}})) {
        result.push_back(inline_producer(graph, next, quotient));
    }
    return result;
}

}  // namespace

Rule divide_after_reduction() {
    return {"divide_after_reduction", match, legal, candidates, true};
}

}  // namespace eutectic
