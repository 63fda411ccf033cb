#include "fusion/moves.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>

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

/** The Funcs whose placement is another. */
std::vector<FuncId> differences(const Placements &now, const Placements &next) {
    std::vector<FuncId> moved;
    for (size_t f = 0; f < now.size(); f++) {
        if (!(next[f] == now[f])) {
            moved.push_back(static_cast<FuncId>(f));
        }
    }
    return moved;
}

}  // namespace

std::vector<Move> moves(const Graph &graph, const std::vector<Rule> &rules, Completer &completer, const Placements &now, std::vector<Step> &weighed) {
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
                step.verdict = obeys(graph, completer.pins(), candidate);
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

namespace {

/** Pipelines of more Funcs take steps in rounds: looking at all of them again after every step takes a time that grows with the third power of their number. Below, a
 *  search takes less than half a second on one core. */
constexpr size_t most_one_by_one = 128;

/** In a round, steps that save less than this share of the best one wait for the next, in which there may be better ones in their place. */
constexpr double least_share = 0.5;

/** The Funcs in whose loops `func` is computed as placed, itself among them if it has any. */
void add_homes(const Graph &graph, const Placements &placements, FuncId func, std::set<FuncId> &homes) {
    if (placements[static_cast<size_t>(func)].kind != Placement::Kind::inlined) {
        const FuncId nest = home(placements, func);
        const Placement &p = placements[static_cast<size_t>(nest)];
        homes.insert(p.kind == Placement::Kind::with ? p.consumer : nest);
        return;
    }
    for (const FuncId reader : graph.consumer_funcs(func)) {
        add_homes(graph, placements, reader, homes);
    }
}

/** Every nest that a move changes, and those that it reads from or that read from it. */
std::set<FuncId> surroundings(const Graph &graph, const Placements &now, const Move &move) {
    std::set<FuncId> around(move.step.moved.begin(), move.step.moved.end()), homes;
    for (const FuncId f : move.step.moved) {
        const std::vector<FuncId> readers = graph.consumer_funcs(f);
        around.insert(readers.begin(), readers.end());
        for (const StageId s : graph.funcs[static_cast<size_t>(f)].stages) {
            for (const int e : graph.stages[static_cast<size_t>(s)].edges) {
                const FuncId producer = graph.edges[static_cast<size_t>(e)].producer;
                if (!graph.funcs[static_cast<size_t>(producer)].input) {
                    around.insert(producer);
                }
            }
        }
    }
    for (const FuncId f : around) {
        add_homes(graph, now, f, homes);
        add_homes(graph, move.placements, f, homes);
    }
    return homes;
}

/** What the same rule offers best at the same site from `now` on; nothing if none there saves anything any more. */
std::optional<Move> again(const Graph &graph, const std::vector<Rule> &rules, Completer &completer, const Placements &now, const Move &move) {
    const Rule &rule = *std::find_if(rules.begin(), rules.end(), [&](const Rule &r) { return std::string(r.name) == move.step.rule; });
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

/** Those of `all` that are taken in one round, the best first: none changes what another looks at. */
std::vector<Move> far_apart(const Graph &graph, const Placements &now, const std::vector<Move> &all) {
    const auto gain = [](const Move &m) { return m.step.before - m.step.after; };
    std::vector<const Move *> paying;
    for (const Move &move : all) {
        if (gain(move) > 0) {
            paying.push_back(&move);
        }
    }
    std::stable_sort(paying.begin(), paying.end(), [&](const Move *a, const Move *b) { return gain(*a) > gain(*b); });
    std::vector<Move> round;
    std::set<FuncId> busy;
    for (const Move *move : paying) {
        if (gain(*move) < least_share * gain(*paying.front())) {
            break;
        }
        const std::set<FuncId> homes = surroundings(graph, now, *move);
        if (std::none_of(homes.begin(), homes.end(), [&](FuncId f) { return busy.count(f) != 0; })) {
            busy.insert(homes.begin(), homes.end());
            round.push_back(*move);
        }
    }
    return round;
}

}  // namespace

Placements descend(const Graph &graph, const std::vector<Rule> &rules, Completer &completer, Placements now, Planned &planned,
                   std::vector<Placements> *path) {
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
            std::for_each(waited.begin(), waited.end(), [&](const Step &step) { remember(planned.weighed, step); });
            best = best_of(all);
        }
        if (!best) {
            all = moves(graph, back, completer, now, unused);
            best = best_of(all);
        }
        if (!best) {
            return now;
        }
        const std::vector<Move> round = graph.funcs.size() > most_one_by_one ? far_apart(graph, now, all) : std::vector<Move>{*best};
        take(round.front());
        for (size_t m = 1; m < round.size(); m++) {
            completer.compare_with(now);
            if (const auto next = again(graph, rules, completer, now, round[m])) {
                take(*next);
            }
        }
    }
}

Placements descend_twice(const Graph &graph, const std::vector<Rule> &rules, Completer &completer, const Placements &start, Planned &planned) {
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
