#include "fusion/search/descend.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "fusion/rules/rules.h"
#include "fusion/search/priced_sites.h"

namespace eutectic {

namespace {

/** Where more moves than this save something, several are taken before all sites are matched anew: after each
 * step the rest are as promising as they were, and only the most promising is priced again. Below, matching
 * all takes less than a tenth of a second on one core. */
constexpr size_t most_one_by_one = 12;

/** Moves that save less than this share of the first one wait until all are matched anew: there may be better
 * ones in their place. Chosen, not measured: with a larger share more is matched anew, with a smaller one
 * steps are taken that a better one would have made needless. */
constexpr double least_share = 0.5;

Seconds gain(const Move &move) {
    return move.step.before - move.step.after;
}

/** Funcs of a pipeline in which each is tried elsewhere once nothing saves anything any more: for each the
 * sites of all are matched. Chosen, not measured. */
constexpr size_t most_moved = 200;

/** Those that save something, the best first; of equals, the earlier. */
std::vector<Move> by_promise(std::vector<Move> all) {
    all.erase(std::remove_if(all.begin(), all.end(), [](const Move &m) { return !(gain(m) > 0); }),
              all.end());
    std::stable_sort(all.begin(), all.end(), [](const Move &a, const Move &b) { return gain(a) > gain(b); });
    return all;
}

/** One way down. */
class Descent {
public:
    Descent(const Graph &graph, const std::vector<Rule> &rules, Completer &completer, Placements start,
            Planned &planned, std::vector<Placements> *path)
        : graph_(graph),
          rules_(rules),
          completer_(completer),
          now_(std::move(start)),
          planned_(planned),
          path_(path) {
    }

    Placements run() {
        std::vector<Rule> forward, waiting;
        for (const Rule &rule : rules_that(rules_, false)) {
            (rule.waits ? waiting : forward).push_back(rule);
        }
        const std::vector<Rule> back = rules_that(rules_, true);
        std::vector<Step> waited, unused;
        for (;;) {
            if (take_some(forward, planned_.weighed)) {
                continue;
            }
            const bool some = take_some(waiting, waited);
            std::for_each(waited.begin(), waited.end(),
                          [&](const Step &step) { remember(planned_.weighed, step); });
            if (some || take_some(back, unused)) {
                continue;
            }
            if (known_.any_of_before()) {
                known_.forget_all();
            } else if (back.empty() || !take_elsewhere()) {
                return now_;
            }
        }
    }

private:
    const Graph &graph_;
    const std::vector<Rule> &rules_;
    Completer &completer_;
    Placements now_;
    Planned &planned_;
    std::vector<Placements> *path_;
    PricedSites known_;

    void take(const Move &move) {
        planned_.taken.push_back(move.step);
        planned_.taken.back().taken = true;
        now_ = move.placements;
        known_.forget(move.roots);
        if (path_) {
            path_->push_back(now_);
        }
    }

    /** What the rule offers best at the move's site from here; nothing if none there saves anything. */
    std::optional<Move> repriced(const Move &move) {
        const Rule &rule = *std::find_if(rules_.begin(), rules_.end(), [&](const Rule &r) {
            return std::string(r.name) == move.step.rule;
        });
        if (!rule.legal(graph_, now_, move.step.site)) {
            return std::nullopt;
        }
        std::vector<Step> unused;
        const std::vector<Move> offers =
            moves_at(graph_, rule, move.step.site, completer_, now_, completer_.total(now_), unused);
        known_.keep(rule, move.step.site, offers);
        std::vector<Move> best = by_promise(offers);
        return best.empty() ? std::nullopt : std::optional(std::move(best.front()));
    }

    /** What the rules offer `func`, which is not in memory, once it is, all else as it is: a place that no
     * single step leads to from where it is. The best of it, if that saves anything. */
    std::optional<Move> elsewhere(FuncId func, Seconds before) {
        const Placements at_root = back_in_memory(graph_, now_, func);
        std::optional<Move> best;
        std::vector<Step> unused;
        for (const Rule &rule : rules_that(rules_, false)) {
            for (const Site &site : rule.match(graph_, at_root)) {
                if (site.producer != func || !rule.legal(graph_, at_root, site)) {
                    continue;
                }
                for (Move &move : moves_at(graph_, rule, site, completer_, at_root, before, unused)) {
                    if (gain(move) > (best ? gain(*best) : 0)) {
                        best = std::move(move);
                    }
                }
            }
        }
        return best;
    }

    /** Moves the Func that saves most by living elsewhere. Is there one? */
    bool take_elsewhere() {
        if (graph_.funcs.size() > most_moved) {
            return false;
        }
        completer_.compare_with(now_);
        const Seconds before = completer_.total(now_);
        std::optional<Move> best;
        for (const FuncId f : graph_.funcs.ids()) {
            const FuncInfo &info = graph_.funcs[f];
            if (info.input || info.output || !info.between.empty() || materialized(now_[f])) {
                continue;
            }
            std::optional<Move> move = elsewhere(f, before);
            if (move && gain(*move) > (best ? gain(*best) : 0)) {
                best = std::move(move);
            }
        }
        if (best) {
            take(*best);
        }
        return best.has_value();
    }

    /** Takes the step of `rules` that saves most, and, where many save something, whatever still saves nearly
     * as much. What was priced before the last step is priced once more, and taken if it then saves more than
     * the next one promises. (Minoux, "Accelerated greedy algorithms for maximizing submodular set
     * functions", 1978: the order is exact where gains only shrink.) Is any taken? */
    bool take_some(const std::vector<Rule> &rules, std::vector<Step> &weighed) {
        std::vector<Move> promising = by_promise(moves(graph_, rules, completer_, now_, weighed, &known_));
        const bool one = promising.size() <= most_one_by_one;
        std::optional<Seconds> least;
        while (!promising.empty() && gain(promising.front()) >= least.value_or(0)) {
            Move move = std::move(promising.front());
            promising.erase(promising.begin());
            if (move.priced_before) {
                std::optional<Move> next = repriced(move);
                if (!next) {
                    continue;
                }
                const auto place = std::find_if(promising.begin(), promising.end(), [&](const Move &other) {
                    return gain(other) <= gain(*next);
                });
                if (place != promising.begin()) {
                    promising.insert(place, std::move(*next));
                    continue;
                }
                move = std::move(*next);
            }
            if (gain(move) < least.value_or(0)) {
                break;
            }
            take(move);
            if (one) {
                return true;
            }
            least = least.value_or(least_share * gain(move));
            completer_.compare_with(now_);
            std::for_each(promising.begin(), promising.end(), [](Move &m) { m.priced_before = true; });
        }
        return least.has_value();
    }
};

}  // namespace

Placements descend(const Graph &graph, const std::vector<Rule> &rules, Completer &completer, Placements start,
                   Planned &planned, std::vector<Placements> *path) {
    return Descent(graph, rules, completer, std::move(start), planned, path).run();
}

Placements descend_twice(const Graph &graph, const std::vector<Rule> &rules, Completer &completer,
                         const Placements &start, Planned &planned) {
    Planned other = planned;
    const Placements once = descend(graph, rules, completer, start, planned);
    if (!completer.met_trimming()) {
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
