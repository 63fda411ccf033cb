// y(x) = f(g(x)), with g in y's loops   →   g in memory again.
//
// A step that saved much while its readers were elsewhere may cost something once they have moved. Legal
// wherever the Func was at the start: what the caller and the user keep at Root never left it.

#include "fusion/rules/rules.h"

namespace eutectic {

namespace {

/** Every Func that some step took out of memory. */
std::vector<Site> match(const Graph &graph, const Placements &placements) {
    std::vector<Site> sites;
    for (const FuncId f : placements.ids()) {
        if (graph.funcs[f].input || materialized(placements[f])) {
            continue;
        }
        const std::vector<FuncId> &consumers = graph.consumer_funcs(f);
        if (!consumers.empty()) {
            sites.push_back({f, consumers});
        }
    }
    return sites;
}

Verdict legal(const Graph &graph, const Placements &, const Site &site) {
    const FuncInfo &f = graph.funcs[site.producer];
    return f.between.empty() ? Verdict::allow() : Verdict::forbid(f.name + " stays inlined: " + f.between);
}

std::vector<Placements> candidates(const Graph &graph, const Placements &placements, const Site &site) {
    return {back_in_memory(graph, placements, site.producer)};
}

}  // namespace

Rule materialize() {
    Rule rule{"materialize", match, legal, candidates};
    rule.undoes = true;
    return rule;
}

}  // namespace eutectic
