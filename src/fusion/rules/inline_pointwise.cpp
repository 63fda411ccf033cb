// p(x) = e;  c(x) = f(p(x))   →   c(x) = f(e)
//
// Legal when 1. p is one pure definition, 2. p is not an output, 3. nobody scheduled p, 4. no extern stage
// takes p as a buffer, 5. Halide makes code of the result (in_single_lanes). Profit is the planner's
// business: the traffic of p against its recomputation in every consumer.

#include <algorithm>

#include "fusion/rules/rules.h"

namespace eutectic {

namespace {

bool updates_itself(const Graph &graph, FuncId f) {
    return graph.funcs[f].stages.size() > 1;
}

std::vector<Site> sites(const Graph &graph, const Placements &placements, bool into_reductions) {
    std::vector<Site> result;
    for (const FuncId f : graph.funcs.ids()) {
        const bool placed = materialized(placements[f]) || placements[f].kind == Placement::Kind::block;
        if (graph.funcs[f].input || !placed || updates_itself(graph, f)) {
            continue;
        }
        const std::vector<FuncId> &consumers = graph.consumer_funcs(f);
        const bool reduced = std::any_of(consumers.begin(), consumers.end(),
                                         [&](FuncId c) { return updates_itself(graph, c); });
        if (!consumers.empty() && reduced == into_reductions) {
            result.push_back({f, consumers});
        }
    }
    return result;
}

std::vector<Site> match(const Graph &graph, const Placements &placements) {
    return sites(graph, placements, false);
}

std::vector<Site> match_reductions(const Graph &graph, const Placements &placements) {
    return sites(graph, placements, true);
}

std::vector<Placements> candidates(const Graph &graph, const Placements &placements, const Site &site) {
    return {inline_producer(graph, placements, site.producer)};
}

/** Does a reader take what is `func`'s at a quotient of a loop whose remainders it chooses by, as x / 2 where
 * x is even? Halide (21) computes every other lane of such a row, and the single lanes of computed indices
 * out of those: its lowering ends in an internal error (Deinterleave.cpp, for a lane beyond the lanes of the
 * slice). */
bool in_single_lanes(const Graph &graph, FuncId func, const Stage &reader) {
    for (const EdgeId e : reader.edges) {
        const Edge &edge = graph.edges[e];
        const auto quotient_chosen_by = [&](const SomeOf &phase) {
            return std::any_of(edge.access.indices.begin(), edge.access.indices.end(),
                               [&](const Index &i) { return i.rounding > 0 && i.depends_on(phase.dim); });
        };
        if (edge.producer == func &&
            std::any_of(edge.in_phases.begin(), edge.in_phases.end(), quotient_chosen_by)) {
            return true;
        }
    }
    return false;
}

}  // namespace

Verdict may_inline(const Graph &graph, const Placements &, const Site &site) {
    const FuncInfo &f = graph.funcs[site.producer];
    if (const Verdict leave = may_leave_root(graph, site.producer); !leave) {
        return leave;
    }
    const Stage &stage = graph.pure_stage(site.producer);
    if (f.stages.size() > 1) {
        return Verdict::forbid(f.name + " has update definitions, which cannot be inlined");
    }
    if (stage.role == Role::opaque) {
        return Verdict::forbid(f.name + " is kept as it is: " + stage.why_opaque);
    }
    if (stage.external) {
        return Verdict::forbid(f.name + " is what a library computes, in memory");
    }
    for (const StageId s : graph.consumers(site.producer)) {
        const Stage &reader = graph.stages[s];
        if (reader.external) {
            return Verdict::forbid(graph.funcs[reader.func].name + " is an extern stage, which takes " +
                                   f.name + " as a buffer");
        }
        if (stage.role == Role::gather && in_single_lanes(graph, site.producer, reader)) {
            return Verdict::forbid(graph.funcs[reader.func].name +
                                   " chooses by remainders what it reads of " + f.name +
                                   " at a quotient, and " + f.name +
                                   " reads at computed indices, of which Halide makes no code in one Func");
        }
    }
    return Verdict::allow();
}

Verdict may_leave_root(const Graph &graph, FuncId func) {
    const FuncInfo &f = graph.funcs[func];
    if (f.output) {
        return Verdict::forbid(f.name + " is an output, which the caller gets in memory");
    }
    if (const std::string own = f.why_own_loops(); !own.empty()) {
        return Verdict::forbid(f.name + " " + own);
    }
    return f.own_buffer_reason.empty() ? Verdict::allow()
                                       : Verdict::forbid(f.name + " " + f.own_buffer_reason);
}

Placements inline_producer(const Graph &graph, const Placements &placements, FuncId producer) {
    Placements next = placements;
    next[producer] = {Placement::Kind::inlined, -1};
    settle(graph, placements, next);
    return next;
}

Rule inline_pointwise() {
    return {"inline_pointwise", match, may_inline, candidates};
}

// p(x) = e;  s(x) += p(...)   →   s(x) += e: the same change, where a reduction or a contraction reads p. A
// rule of its own, because what it costs is of another order: a contraction reads p once for every tile that
// needs it.
Rule fuse_on_read() {
    return {"fuse_on_read", match_reductions, may_inline, candidates};
}

}  // namespace eutectic
