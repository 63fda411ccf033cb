#include "fusion/moves.h"
#include "fusion/pinned_start.h"

namespace eutectic {

Planned plan_unfused(const Graph &graph, const Machine &machine) {
    Planned planned;
    planned.plan = planned.unfused = complete(graph, machine, unfused(graph));
    return planned;
}

Planned plan_greedy(const Graph &graph, const Machine &machine, const std::vector<Rule> &rules, const Pins &pins) {
    Planned planned;
    Completer completer(graph, machine, pins);
    planned.unfused = completer.plan(unfused(graph));
    const Placements start = pinned_start(graph, completer, planned.taken);
    planned.plan = completer.plan(descend_twice(graph, rules, completer, start, planned));
    return planned;
}

}  // namespace eutectic
