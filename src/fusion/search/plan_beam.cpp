#include "fusion/search/plan_beam.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "fusion/rewrite.h"
#include "fusion/search/descend.h"
#include "fusion/search/dominance.h"
#include "fusion/search/moves.h"

namespace eutectic {

namespace {

// Placements kept at every depth. 32 of them, and twice the patience, found no cheaper plan for any generator
// or random pipeline of tests/fusion.
constexpr size_t beam_width = 8;

// Depths without a new best after which the search ends: as many steps as a detour may take before it pays.
// Fewer miss longer detours, more take longer.
constexpr int patience = 4;

// Groups searched for loops, and placements priced with what is remembered: 2 seconds each, at 2 ms for a
// search and 0.1 ms for a price of a large pipeline. What the best placement is by then is the plan.
constexpr size_t most_searches = 1000;
constexpr size_t most_candidates = 20000;

/** Placements on the way, and the steps that led there. */
struct State {
    Placements placements;
    Seconds total = 0;
    std::vector<Step> taken;
};

/** Order for sets only. */
std::vector<int> key(const Placements &placements) {
    std::vector<int> k;
    for (const Placement &p : placements) {
        k.push_back(static_cast<int>(p.kind));
        k.push_back(p.consumer);
    }
    for (const RewriteUse &u : placements.rewrites()) {
        k.push_back(u.func);
        const std::string name = u.rewrite->name();
        k.insert(k.end(), name.begin(), name.end());
    }
    return k;
}

class Beam {
public:
    Beam(const Graph &graph, std::vector<Rule> rules, Completer &completer)
        : graph_(graph), rules_(std::move(rules)), completer_(completer) {
    }

    /** The cheapest placements found on the way from `start`; they need not be a local optimum. */
    State run(const State &start) {
        State best = start;
        std::vector<State> beam = {start};
        visited_.insert(key(start.placements));
        for (int waited = 0; waited < patience && !beam.empty() && within_limits(); waited++) {
            beam = next(beam);
            if (!beam.empty() && beam.front().total < best.total) {
                best = beam.front();
                waited = -1;
            }
        }
        return best;
    }

private:
    const Graph &graph_;
    const std::vector<Rule> rules_;
    Completer &completer_;
    std::set<std::vector<int>> visited_;
    size_t candidates_ = 0;

    bool within_limits() const {
        return completer_.searches() < most_searches && candidates_ < most_candidates;
    }

    /** The cheapest placements one step further that were not seen before; ties go to the earlier state, then
     * to the earlier move. */
    std::vector<State> next(const std::vector<State> &beam) {
        std::vector<State> found;
        std::vector<Step> unused;
        for (const State &state : beam) {
            if (!within_limits()) {
                break;
            }
            for (Move &move : moves(graph_, rules_, completer_, state.placements, unused)) {
                candidates_++;
                if (std::isfinite(move.step.after) && visited_.insert(key(move.placements)).second) {
                    found.push_back({std::move(move.placements), move.step.after, state.taken});
                    found.back().taken.push_back(move.step);
                    found.back().taken.back().taken = true;
                }
            }
        }
        std::stable_sort(found.begin(), found.end(),
                         [](const State &a, const State &b) { return a.total < b.total; });
        found.resize(std::min(found.size(), beam_width));
        return found;
    }
};

}  // namespace

Planned plan_beam(const Graph &graph, const Machine &machine, const std::vector<Rule> &rules,
                  const Pins &pins) {
    Completer whole(graph, machine, pins);
    Planned greedy, best;
    const SearchSpace space = search_space(graph, whole, rules, greedy.taken);
    Completer completer(space.graph, machine, pins);
    const std::vector<Step> pinned = greedy.taken;
    const Placements descended = descend_twice(space.graph, rules, completer, space.start, greedy);
    const State found = Beam(space.graph, rules_that(rules, false), completer)
                            .run({space.start, completer.total(space.start), pinned});
    best.taken = found.taken;
    const Placements improved = descend(space.graph, rules, completer, found.placements, best);
    const bool better = completer.total(improved) < completer.total(descended);
    Planned &planned = better ? best : greedy;
    planned.unfused = whole.plan(unfused(graph));
    planned.plan = whole.plan(better ? improved : descended);
    return planned;
}

}  // namespace eutectic
