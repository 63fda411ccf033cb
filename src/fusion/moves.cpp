#include "fusion/moves.h"

#include <algorithm>
#include <iterator>

namespace eutectic {

namespace {

/** Remembers `step` as the reason why its producer stays, unless the site has a nearer miss already. */
void remember(std::vector<Step> &weighed, const Step &step) {
    for (Step &old : weighed) {
        if (old.site.producer != step.site.producer || old.stays != step.stays) {
            continue;
        }
        // Of two refusals the first says more: rules go from the narrow to the wide.
        const bool priced = static_cast<bool>(step.verdict), old_priced = static_cast<bool>(old.verdict);
        if ((priced && !old_priced) || (priced && old_priced && step.after - step.before <= old.after - old.before)) {
            old = step;
        }
        return;
    }
    weighed.push_back(step);
}

}  // namespace

std::vector<Move> moves(const Graph &graph, const std::vector<Rule> &rules, Completer &completer, const Placements &now, std::vector<Step> &weighed) {
    std::vector<Move> found;
    const Seconds before = completer.total(now);
    weighed.clear();
    for (const Rule &rule : rules) {
        for (const Site &site : rule.match(graph, now)) {
            Step step{rule.name, site, rule.legal(graph, now, site), before, before, false, {}, rule.stays};
            if (!step.verdict) {
                remember(weighed, step);
                continue;
            }
            for (const Placements &candidate : rule.candidates(graph, now, site)) {
                step.verdict = obeys(graph, completer.pins(), candidate);
                step.after = before;
                step.moved.clear();
                if (!step.verdict) {
                    remember(weighed, step);
                    continue;
                }
                step.after = completer.total(candidate);
                step.moved.clear();
                for (size_t f = 0; f < now.size(); f++) {
                    if (!(candidate[f] == now[f])) {
                        step.moved.push_back(static_cast<FuncId>(f));
                    }
                }
                remember(weighed, step);
                found.push_back({step, candidate});
            }
        }
    }
    return found;
}

namespace {

/** The move that saves most, or null if none saves anything. */
const Move *best_of(const std::vector<Move> &all) {
    const Move *best = nullptr;
    for (const Move &move : all) {
        const Seconds gain = move.step.before - move.step.after;
        if (gain > 0 && (!best || gain > best->step.before - best->step.after)) {
            best = &move;
        }
    }
    return best;
}

}  // namespace

std::vector<Rule> rules_that(const std::vector<Rule> &rules, bool undo) {
    std::vector<Rule> result;
    std::copy_if(rules.begin(), rules.end(), std::back_inserter(result), [&](const Rule &r) { return r.undoes == undo; });
    return result;
}

Placements descend(const Graph &graph, const std::vector<Rule> &rules, Completer &completer, Placements now, Planned &planned) {
    const std::vector<Rule> forward = rules_that(rules, false), back = rules_that(rules, true);
    std::vector<Step> unused;
    for (;;) {
        std::vector<Move> all = moves(graph, forward, completer, now, planned.weighed);
        const Move *best = best_of(all);
        if (!best) {
            all = moves(graph, back, completer, now, unused);
            best = best_of(all);
        }
        if (!best) {
            return now;
        }
        planned.taken.push_back(best->step);
        planned.taken.back().taken = true;
        now = best->placements;
    }
}

}  // namespace eutectic
