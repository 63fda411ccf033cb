#include "fusion/search/plan_sample.h"

#include <algorithm>
#include <cmath>

#include "fusion/search/completer.h"
#include "fusion/search/drawn_machine.h"
#include "fusion/search/moves.h"

namespace eutectic {

namespace {

/** From every Func at Root, the best move or any, until none saves anything. */
Placements walk(const Graph &graph, const std::vector<Rule> &rules, Completer &completer, bool far,
                Dice &dice) {
    const double stray = far ? 0.6 : 0.15, stop = far ? 0.1 : 0.02;
    Placements now = unfused(graph);
    std::vector<Step> weighed;
    while (!dice.with_probability(stop)) {
        std::vector<Move> all = moves(graph, rules, completer, now, weighed);
        all.erase(std::remove_if(all.begin(), all.end(),
                                 [](const Move &move) { return !std::isfinite(move.step.after); }),
                  all.end());
        if (all.empty()) {
            break;
        }
        const auto best = std::min_element(
            all.begin(), all.end(), [](const Move &a, const Move &b) { return a.step.after < b.step.after; });
        if (dice.with_probability(stray)) {
            now = all[dice.below(all.size())].placements;
        } else if (best->step.after < best->step.before) {
            now = best->placements;
        } else {
            break;
        }
    }
    return now;
}

}  // namespace

Planned plan_sample(const Graph &graph, const Machine &machine, const std::vector<Rule> &rules,
                    uint64_t seed) {
    Dice dice(seed);
    const bool far = seed % 4 == 3;
    const Machine drawn = drawn_machine(machine, far, dice);
    Completer completer(graph, drawn);
    Planned planned;
    planned.unfused = complete(graph, machine, unfused(graph));
    planned.plan = completer.plan(walk(graph, rules_that(rules, false), completer, far, dice));
    for (Group &group : planned.plan.groups) {
        group.cost = price_on(group, drawn, machine);
    }
    return planned;
}

}  // namespace eutectic
