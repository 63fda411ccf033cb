#include "fusion/search/descend.h"
#include "fusion/search/dominance.h"

namespace eutectic {

Planned plan_unfused(const Graph &graph, const Machine &machine) {
    Planned planned;
    planned.plan = planned.unfused = complete(graph, machine, unfused(graph));
    return planned;
}

namespace {

Planned plan(const Graph &graph, const Machine &machine, const std::vector<Rule> &rules, const Pins &pins,
             const Planned *before) {
    Planned planned;
    Completer completer(graph, machine, pins);
    planned.unfused = completer.plan(unfused(graph));
    const SearchSpace space = search_space(graph, completer, rules, planned.taken);
    Completer search(space.graph, machine, pins);
    if (before) {
        planned.taken = before->taken;
    }
    const Placements &start = before ? before->plan.placements : space.start;
    planned.plan = completer.plan(descend_twice(space.graph, rules, search, start, planned));
    return planned;
}

}  // namespace

Planned plan_greedy(const Graph &graph, const Machine &machine, const std::vector<Rule> &rules,
                    const Pins &pins) {
    return plan(graph, machine, rules, pins, nullptr);
}

Planned plan_greedy_from(const Planned &before, const Graph &graph, const Machine &machine,
                         const std::vector<Rule> &rules, const Pins &pins) {
    return plan(graph, machine, rules, pins, &before);
}

}  // namespace eutectic
