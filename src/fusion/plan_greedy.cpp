#include "fusion/moves.h"

namespace eutectic {

Planned plan_unfused(const Graph &graph, const Machine &machine) {
    Planned planned;
    planned.plan = planned.unfused = complete(graph, machine, unfused(graph));
    return planned;
}

Planned plan_greedy(const Graph &graph, const Machine &machine, const std::vector<Rule> &rules) {
    Planned planned;
    Completer completer(graph, machine);
    const Placements start = unfused(graph);
    planned.unfused = completer.plan(start);
    planned.plan = completer.plan(descend(graph, rules, completer, start, planned));
    return planned;
}

}  // namespace eutectic
