#include "fusion/search/descend.h"
#include "fusion/search/dominance.h"

namespace eutectic {

Planned plan_unfused(const Graph &graph, const Machine &machine) {
    Planned planned;
    planned.plan = planned.unfused = complete(graph, machine, unfused(graph));
    return planned;
}

Planned plan_greedy(const Graph &graph, const Machine &machine, const std::vector<Rule> &rules,
                    const Pins &pins) {
    Planned planned;
    Completer completer(graph, machine, pins);
    planned.unfused = completer.plan(unfused(graph));
    const SearchSpace space = search_space(graph, completer, rules, planned.taken);
    Completer search(space.graph, machine, pins);
    planned.plan = completer.plan(descend_twice(space.graph, rules, search, space.start, planned));
    return planned;
}

}  // namespace eutectic
