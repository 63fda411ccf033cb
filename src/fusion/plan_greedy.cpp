#include <algorithm>

#include "fusion/completer.h"
#include "fusion/rule.h"

namespace eutectic {

namespace {

/** Remembers `step` as the reason why its producer stays, unless the site has a nearer miss already. */
void remember(std::vector<Step> &weighed, const Step &step) {
    for (Step &old : weighed) {
        if (old.site.producer != step.site.producer) {
            continue;
        }
        const bool priced = static_cast<bool>(step.verdict), old_priced = static_cast<bool>(old.verdict);
        if ((priced && !old_priced) || (priced == old_priced && step.after - step.before <= old.after - old.before)) {
            old = step;
        }
        return;
    }
    weighed.push_back(step);
}

struct Best {
    Step step;
    Placements placements;
};

}  // namespace

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
        const Seconds before = completer.total(now);
        Best best;
        planned.weighed.clear();
        for (const Rule &rule : rules) {
            for (const Site &site : rule.match(graph, now)) {
                Step step{rule.name, site, rule.legal(graph, now, site), before, before, false};
                if (!step.verdict) {
                    remember(planned.weighed, step);
                    continue;
                }
                for (const Placements &candidate : rule.candidates(graph, now, site)) {
                    step.after = completer.total(candidate);
                    remember(planned.weighed, step);
                    const Seconds gain = step.before - step.after;
                    if (gain > 0 && gain > best.step.before - best.step.after) {
                        best = {step, candidate};
                    }
                }
            }
        }
        if (best.placements.empty()) {
            break;
        }
        best.step.taken = true;
        planned.taken.push_back(best.step);
        now = best.placements;
    }
    planned.plan = completer.plan(now);
    return planned;
}

}  // namespace eutectic
