#include "fusion/search/moves.h"

#include <algorithm>
#include <utility>

#include "fusion/search/priced_sites.h"

namespace eutectic {

namespace {

/** The Funcs whose placement is another. */
std::vector<FuncId> differences(const Placements &now, const Placements &next) {
    std::vector<FuncId> moved;
    for (const FuncId f : now.ids()) {
        if (!next.agree(now, f)) {
            moved.push_back(f);
        }
    }
    return moved;
}

/** Funcs in the groups that one completer may search for loops: what it stops are hundreds of Funcs that all
 * fit one block, each of which could be taken out of it again. (256 sums in one block, row tree_256 of
 * docs/bench/plan.json, are stopped after 12 s on an AMD EPYC, some 250 us a Func; blocks of 64 Funcs take 60
 * to 110 us for each.) */
constexpr size_t most_members = 50000;

Verdict within_limit(const Completer &completer) {
    return completer.searched_members() < most_members
               ? Verdict::allow()
               : Verdict::forbid("the search has looked for the loops of groups of " +
                                 std::to_string(most_members) + " Funcs in all, and goes no further");
}

}  // namespace

void remember(std::vector<Step> &weighed, const Step &step) {
    for (Step &old : weighed) {
        if (old.site.producer != step.site.producer || old.stays != step.stays) {
            continue;
        }
        // Of two refusals the first says more: rules go from the narrow to the wide.
        const bool priced = static_cast<bool>(step.verdict), old_priced = static_cast<bool>(old.verdict);
        if ((priced && !old_priced) ||
            (priced && old_priced && step.after - step.before <= old.after - old.before)) {
            old = step;
        }
        return;
    }
    weighed.push_back(step);
}

std::vector<Move> moves_at(const Graph &graph, const Rule &rule, const Site &site, Completer &completer,
                           const Placements &now, Seconds before, std::vector<Step> &weighed) {
    std::vector<Move> found;
    for (const Placements &candidate : rule.candidates(graph, now, site)) {
        Move move{{rule.name, site, within_limit(completer), before, before, false, {}, rule.stays}, {}, {}};
        if (move.step.verdict) {
            move.step.verdict = obeys(graph, completer.pins(), candidate);
        }
        if (move.step.verdict) {
            move.step.after = completer.total(candidate, &move.roots);
            move.step.moved = differences(now, candidate);
            move.placements = candidate;
            found.push_back(move);
        }
        remember(weighed, move.step);
    }
    return found;
}

std::vector<Move> moves(const Graph &graph, const std::vector<Rule> &rules, Completer &completer,
                        const Placements &now, std::vector<Step> &weighed, PricedSites *known) {
    std::vector<Move> found;
    completer.compare_with(now);
    const Seconds before = completer.total(now);
    weighed.clear();
    for (const Rule &rule : rules) {
        for (const Site &site : rule.match(graph, now)) {
            const Verdict legal = rule.legal(graph, now, site);
            if (!legal) {
                remember(weighed, {rule.name, site, legal, before, before, false, {}, rule.stays});
                continue;
            }
            const std::vector<Move> *here = known ? known->find(rule, site) : nullptr;
            std::vector<Move> anew;
            if (!here) {
                anew = moves_at(graph, rule, site, completer, now, before, weighed);
                here = &anew;
                if (known) {
                    known->keep(rule, site, anew);
                }
            }
            found.insert(found.end(), here->begin(), here->end());
        }
    }
    return found;
}

std::vector<Rule> rules_that(const std::vector<Rule> &rules, bool undo) {
    std::vector<Rule> result;
    std::copy_if(rules.begin(), rules.end(), std::back_inserter(result),
                 [&](const Rule &r) { return r.undoes == undo; });
    return result;
}

}  // namespace eutectic
