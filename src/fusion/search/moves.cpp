#include "fusion/search/moves.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

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
        if ((priced && !old_priced) ||
            (priced && old_priced && step.after - step.before <= old.after - old.before)) {
            old = step;
        }
        return;
    }
    weighed.push_back(step);
}

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

std::vector<Move> moves(const Graph &graph, const std::vector<Rule> &rules, Completer &completer,
                        const Placements &now, std::vector<Step> &weighed) {
    std::vector<Move> found;
    completer.compare_with(now);
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
                step.verdict = within_limit(completer);
                if (step.verdict) {
                    step.verdict = obeys(graph, completer.pins(), candidate);
                }
                step.after = before;
                step.moved.clear();
                if (!step.verdict) {
                    remember(weighed, step);
                    continue;
                }
                step.after = completer.total(candidate);
                step.moved = differences(now, candidate);
                remember(weighed, step);
                found.push_back({step, candidate});
            }
        }
    }
    return found;
}

namespace {

Seconds gain(const Move &move) {
    return move.step.before - move.step.after;
}

/** The move that saves most, or null if none saves anything. */
const Move *best_of(const std::vector<Move> &all) {
    const Move *best = nullptr;
    for (const Move &move : all) {
        if (gain(move) > 0 && (!best || gain(move) > gain(*best))) {
            best = &move;
        }
    }
    return best;
}

}  // namespace

std::vector<Rule> rules_that(const std::vector<Rule> &rules, bool undo) {
    std::vector<Rule> result;
    std::copy_if(rules.begin(), rules.end(), std::back_inserter(result),
                 [&](const Rule &r) { return r.undoes == undo; });
    return result;
}

namespace {

/** Where more moves than this save something, several are taken before all are priced anew: after each step
 * the rest are as promising as they were, and only the most promising is priced again. Below, pricing all of
 * them takes less than a tenth of a second on one core. */
constexpr size_t most_one_by_one = 12;

/** Moves that save less than this share of the first one wait until all are priced anew: there may be better
 * ones in their place. Chosen, not measured: with a larger share more is priced anew, with a smaller one
 * steps are taken that a better one would have made needless. */
constexpr double least_share = 0.5;

/** What the same rule offers best at the same site from `now` on; nothing if none there saves anything any
 * more. */
std::optional<Move> repriced(const Graph &graph, const std::vector<Rule> &rules, Completer &completer,
                             const Placements &now, const Move &move) {
    const Rule &rule = *std::find_if(rules.begin(), rules.end(),
                                     [&](const Rule &r) { return std::string(r.name) == move.step.rule; });
    if (!rule.legal(graph, now, move.step.site)) {
        return std::nullopt;
    }
    const Seconds before = completer.total(now);
    std::vector<Move> offers;
    for (const Placements &candidate : rule.candidates(graph, now, move.step.site)) {
        if (obeys(graph, completer.pins(), candidate)) {
            offers.push_back({move.step, candidate});
            offers.back().step.before = before;
            offers.back().step.after = completer.total(candidate);
            offers.back().step.moved = differences(now, candidate);
        }
    }
    const Move *best = best_of(offers);
    return best ? std::optional(*best) : std::nullopt;
}

/** Of `all`, those that save something, the best first; of equals, the earlier. */
std::vector<Move> by_promise(std::vector<Move> all) {
    all.erase(std::remove_if(all.begin(), all.end(), [](const Move &m) { return !(gain(m) > 0); }),
              all.end());
    std::stable_sort(all.begin(), all.end(), [](const Move &a, const Move &b) { return gain(a) > gain(b); });
    return all;
}

/** Takes the first of `promising`, and then whatever, priced once more from there, still saves more than the
 * next one promises. (Minoux, "Accelerated greedy algorithms for maximizing submodular set functions", 1978:
 * the order is exact where gains only shrink.) */
template<typename Take>
void take_in_order(const Graph &graph, const std::vector<Rule> &rules, Completer &completer,
                   const Placements &now, std::vector<Move> promising, const Take &take) {
    const Seconds least = least_share * gain(promising.front());
    take(promising.front());
    promising.erase(promising.begin());
    completer.compare_with(now);
    std::vector<bool> priced(promising.size(), false);  // since the last step
    while (!promising.empty() && gain(promising.front()) >= least) {
        Move move = promising.front();
        const bool fresh = priced.front();
        promising.erase(promising.begin());
        priced.erase(priced.begin());
        const std::optional<Move> next =
            fresh ? std::optional(move) : repriced(graph, rules, completer, now, move);
        if (!next) {
            continue;
        }
        const auto place = std::find_if(promising.begin(), promising.end(),
                                        [&](const Move &other) { return gain(other) <= gain(*next); });
        if (!fresh && place != promising.begin()) {
            priced.insert(priced.begin() + (place - promising.begin()), true);
            promising.insert(place, *next);
            continue;
        }
        if (gain(*next) < least) {
            return;
        }
        take(*next);
        completer.compare_with(now);
        priced.assign(promising.size(), false);
    }
}

}  // namespace

Placements descend(const Graph &graph, const std::vector<Rule> &rules, Completer &completer, Placements now,
                   Planned &planned, std::vector<Placements> *path) {
    std::vector<Rule> forward, waiting;
    for (const Rule &rule : rules_that(rules, false)) {
        (rule.waits ? waiting : forward).push_back(rule);
    }
    const std::vector<Rule> back = rules_that(rules, true);
    std::vector<Step> waited, unused;
    const auto take = [&](const Move &move) {
        planned.taken.push_back(move.step);
        planned.taken.back().taken = true;
        now = move.placements;
        if (path) {
            path->push_back(now);
        }
    };
    for (;;) {
        std::vector<Move> all = moves(graph, forward, completer, now, planned.weighed);
        const Move *best = best_of(all);
        if (!best) {
            all = moves(graph, waiting, completer, now, waited);
            std::for_each(waited.begin(), waited.end(),
                          [&](const Step &step) { remember(planned.weighed, step); });
            best = best_of(all);
        }
        if (!best) {
            all = moves(graph, back, completer, now, unused);
            best = best_of(all);
        }
        if (!best) {
            return now;
        }
        std::vector<Move> promising = by_promise(std::move(all));
        if (promising.size() <= most_one_by_one) {
            take(promising.front());
        } else {
            take_in_order(graph, rules, completer, now, std::move(promising), take);
        }
    }
}

Placements descend_twice(const Graph &graph, const std::vector<Rule> &rules, Completer &completer,
                         const Placements &start, Planned &planned) {
    Planned other = planned;
    const Placements once = descend(graph, rules, completer, start, planned);
    if (completer.plan(start).trimming == 0) {
        return once;
    }
    std::vector<Placements> path = {start};
    completer.overlook_trimming(true);
    const Placements on_the_way = descend(graph, rules, completer, start, other, &path);
    completer.overlook_trimming(false);
    const Placements twice = descend(graph, rules, completer, on_the_way, other, &path);
    if (completer.total(twice) >= completer.total(once)) {
        return once;
    }
    planned = other;
    const size_t pinned = planned.taken.size() + 1 - path.size();
    for (size_t s = 1; s < path.size(); s++) {
        planned.taken[pinned + s - 1].before = completer.total(path[s - 1]);
        planned.taken[pinned + s - 1].after = completer.total(path[s]);
    }
    return twice;
}

}  // namespace eutectic
