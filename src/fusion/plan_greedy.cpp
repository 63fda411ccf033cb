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
    Placements now = unfused(graph);
    planned.unfused = completer.plan(now);
    for (;;) {
        const std::vector<Move> all = moves(graph, rules, completer, now, planned.weighed);
        const Move *best = nullptr;
        for (const Move &move : all) {
            const Seconds gain = move.step.before - move.step.after;
            if (gain > 0 && (!best || gain > best->step.before - best->step.after)) {
                best = &move;
            }
        }
        if (!best) {
            break;
        }
        planned.taken.push_back(best->step);
        planned.taken.back().taken = true;
        now = best->placements;
    }
    planned.plan = completer.plan(now);
    return planned;
}

}  // namespace eutectic
