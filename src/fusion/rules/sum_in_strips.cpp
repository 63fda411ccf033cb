// y(j, i) = f(x(j, i));  s(j) += e(x(j, i))   →   strips of rows i: rows of y, and then what s sums up of
// the same rows, which come from memory once. y(j, i) = f(x(j, i));  s(j) += y(j, i)      →   the same,
// s(j) += f(x(j, i)): y is recomputed for s, from rows that its nest has just read, instead of read in a
// pass of its own.
//
// Each strip has its own partial sums, summed up at the end: terms meet in another order. Legal when 1. s is
// one reduction of one value, whose terms may be put in any order (under strict numerics: of integers
// only), 2. s has a dim, and is computed at Root or in a tile, 3. y is at Root, pure, of two dims or more,
// and its loops hold no tile and write nothing else but such sums, 4. nobody scheduled either, and nothing
// asks that they be kept apart, 5. both read the same rows of some Func: those that the last dim of y and a
// reduction variable of s go over,
// 6. neither is computed from the other, through whatever Funcs and whatever shares their nests; but s may
// read y itself, or through inlined Funcs, where 7. y is one value, divides as it is defined, and somebody
// else reads it. At run time the numbers of rows may differ all the same: each goes over its own.

#include <algorithm>
#include <set>

#include "fusion/plan/shared_rows.h"
#include "fusion/rewrite.h"
#include "fusion/rules/rules.h"

namespace eutectic {

namespace {

using Kind = Placement::Kind;

/** Whoever runs loops through a Func of memory of its own, or through a tile of it. */
bool is_candidate(const Graph &graph, const Placements &placements, FuncId func) {
    const FuncInfo &info = graph.funcs[func];
    const Role role = info.stages.empty() ? Role::opaque : graph.last_stage(func).role;
    const Kind kind = placements[func].kind;
    return is_sum(graph, func) && !info.extents.empty() &&
           (role == Role::reduction || role == Role::contraction) && (kind == Kind::root || kind == Kind::at);
}

/** For each Func: whose values it reads, through whatever is inlined or in blocks. */
class Sources {
public:
    Sources(const Graph &graph, const Placements &placements) : of_(graph.funcs.size()) {
        for (const FuncId f : placements.ids()) {  // producers first
            std::set<FuncId> &of = of_[f];
            for (const StageId s : graph.funcs[f].stages) {
                for (const EdgeId e : graph.stages[s].edges) {
                    const FuncId producer = graph.edges[e].producer;
                    const Kind kind = placements[producer].kind;
                    of.insert(producer);
                    if (producer != f && (kind == Kind::inlined || kind == Kind::block)) {
                        of.insert(of_[producer].begin(), of_[producer].end());
                    }
                }
            }
        }
    }

    /** May `a` and `b` read some of the same, if `a` recomputes what it reads of `b`? */
    bool may_share(FuncId a, FuncId b) const {
        return of_[a].count(b) > 0 ||
               std::any_of(of_[a].begin(), of_[a].end(), [&](FuncId f) { return of_[b].count(f) > 0; });
    }

private:
    Table<FuncId, std::set<FuncId>> of_;
};

/** The Func at Root that reads most of the same rows as `s`, and rather one in strips of whose rows it may
 * be: of those that it would recompute (`recomputed`), or of the others. -1: there is none. */
FuncId partner_of(const Graph &graph, const Placements &placements, const Sources &sources, FuncId s,
                  bool recomputed) {
    FuncId partner = -1;
    std::pair<bool, Bytes> most{false, 0};
    for (const FuncId y : placements.ids()) {
        const FuncInfo &info = graph.funcs[y];
        if (info.input || info.stages.size() != 1 || placements[y].kind != Kind::root ||
            !sources.may_share(s, y)) {
            continue;
        }
        const Bytes bytes = shared_rows(graph, placements, s, y).bytes;
        if (bytes > 0 && std::make_pair(true, bytes) > most &&
            reads_values_of(graph, placements, s, y) == recomputed) {
            const std::pair<bool, Bytes> found{static_cast<bool>(may_sum_in_strips(graph, placements, s, y)),
                                               bytes};
            partner = found > most ? y : partner;
            most = std::max(most, found);
        }
    }
    return partner;
}

std::vector<Site> match(const Graph &graph, const Placements &placements) {
    std::vector<Site> sites;
    const Sources sources(graph, placements);
    for (const FuncId s : placements.ids()) {
        for (const bool recomputed :
             is_candidate(graph, placements, s) ? std::vector<bool>{false, true} : std::vector<bool>()) {
            if (const FuncId partner = partner_of(graph, placements, sources, s, recomputed); partner >= 0) {
                sites.push_back({s, {partner}});
            }
        }
    }
    return sites;
}

Verdict legal(const Graph &graph, const Placements &placements, const Site &site) {
    return may_sum_in_strips(graph, placements, site.producer, site.consumers.front());
}

std::vector<Placements> candidates(const Graph &graph, const Placements &placements, const Site &site) {
    Placements next = placements;
    Placement &p = next[site.producer];
    p = {Kind::strips, site.consumers.front()};
    settle(graph, next);
    return {next};
}

Verdict may_split(const Graph &graph, const Placements &placements, FuncId sum) {
    const FuncInfo &s = graph.funcs[sum];
    const Placement &p = placements[sum];
    const Role role = s.stages.empty() ? Role::opaque : graph.last_stage(sum).role;
    if (const std::string own = s.why_own_loops(); !own.empty()) {
        return Verdict::forbid(s.name + " " + own);
    }
    if (!s.own_buffer_reason.empty()) {
        return Verdict::forbid(s.name + " " + s.own_buffer_reason);
    }
    if (!is_sum(graph, sum) || s.tuple_size != 1 || (role != Role::reduction && role != Role::contraction)) {
        return Verdict::forbid(
            s.name + " is not a single reduction of one value, which strips of rows could sum up in parts");
    }
    if (!graph.may_reorder(graph.last_stage(sum))) {
        return Verdict::forbid(graph.strict && graph.last_stage(sum).reassociable
                                   ? "summing up " + s.name +
                                         " strip by strip would round otherwise, which strict numerics forbid"
                                   : s.name + " is not known to be the same in any order of its terms");
    }
    if (s.extents.empty()) {
        return Verdict::forbid(s.name + " is a single value: it has no row of sums for each strip");
    }
    if (const Verdict elsewhere = rewrites_allow(graph, placements, sum, NestSharing::other_loops);
        !elsewhere) {
        return elsewhere;
    }
    if (p.kind != Kind::root && p.kind != Kind::at && p.kind != Kind::strips) {
        return Verdict::forbid(s.name + " is computed inside loops that need it at once");
    }
    return Verdict::allow();
}

/** Why the nest of `writer` has no room for sums in strips of its rows. */
Verdict may_have_sums(const Graph &graph, const Placements &placements, FuncId writer) {
    const FuncInfo &w = graph.funcs[writer];
    if (placements[writer].kind != Kind::root) {
        return Verdict::forbid(w.name + ", in strips of whose rows it would be summed up, is not at Root");
    }
    if (const std::string own = w.why_own_loops(); !own.empty()) {
        return Verdict::forbid(w.name + " " + own);
    }
    if (!w.own_buffer_reason.empty()) {
        return Verdict::forbid(w.name + " " + w.own_buffer_reason);
    }
    const Role role = w.stages.empty() ? Role::opaque : graph.last_stage(writer).role;
    if (w.stages.size() != 1 || w.extents.size() < 2 ||
        (role != Role::pointwise && role != Role::view && role != Role::gather)) {
        return Verdict::forbid(
            w.name + " is not a pure Func of two dimensions or more, which strips of its rows could write");
    }
    for (const FuncId f : placements.ids()) {
        const Placement &p = placements[f];
        if (p.consumer != writer || (p.kind != Kind::at && p.kind != Kind::joint)) {
            continue;
        }
        return Verdict::forbid(w.name + "'s loops " +
                               (p.kind == Kind::at ? "are tiles, which hold " : "also write ") +
                               graph.funcs[f].name);
    }
    return Verdict::allow();
}

}  // namespace

Verdict may_recompute(const Graph &graph, const Placements &next, FuncId func, FuncId writer) {
    const FuncInfo &s = graph.funcs[func], &w = graph.funcs[writer];
    if (w.tuple_size != 1) {
        return Verdict::forbid(w.name + " has several values, and would have to be recomputed for " + s.name +
                               " one by one");
    }
    if (const Verdict recomputed = rewrites_allow(graph, next, writer, NestSharing::recomputed, func);
        !recomputed) {
        return recomputed;
    }
    if (!w.output && readers(graph, next, writer).empty()) {
        return Verdict::forbid(w.name + " is computed for nothing but what its own nest would write");
    }
    return Verdict::allow();
}

Verdict may_sum_in_strips(const Graph &graph, const Placements &placements, FuncId sum, FuncId writer) {
    if (const Verdict split = may_split(graph, placements, sum); !split) {
        return split;
    }
    if (const Verdict room = may_have_sums(graph, placements, writer); !room) {
        return room;
    }
    const FuncInfo &s = graph.funcs[sum], &w = graph.funcs[writer];
    if (shared_rows(graph, placements, sum, writer).dim < 0) {
        return Verdict::forbid(s.name + " reads no rows that " + w.name + " reads");
    }
    std::vector<FuncId> all = written_with(placements, writer);
    if (std::find(all.begin(), all.end(), sum) == all.end()) {
        all.push_back(sum);
    }
    if (const FuncId reader = computed_from(graph, placements, all, writer); reader >= 0) {
        return Verdict::forbid(graph.funcs[reader].name + " is computed from what the same nest would write");
    }
    Placements next = placements;
    next[sum] = {Kind::strips, writer};
    return recomputed_for(graph, next, sum) < 0 ? Verdict::allow() : may_recompute(graph, next, sum, writer);
}

Rule sum_in_strips() {
    return {"sum_in_strips", match, legal, candidates, true};
}

}  // namespace eutectic
