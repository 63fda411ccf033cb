#include "tune/neighbours.h"

#include <algorithm>
#include <cmath>

#include "fusion/search/completer.h"
#include "fusion/search/moves.h"
#include "fusion/search/pinned_loops.h"

namespace eutectic {

namespace {

using Kind = Placement::Kind;

std::string place(const Graph &graph, FuncId f, const Pin &pin) {
    return graph.funcs[f].name + (pin.kind == Kind::root ? " in memory"
                                  : pin.kind == Kind::inlined
                                      ? " inlined"
                                      : " in the loops of " + graph.funcs[pin.consumer].name);
}

void pin_loops(Pins &pins, const Graph &graph, FuncId root, uint64_t seed) {
    pins.funcs.resize(graph.funcs.size());
    pins.loops.erase(std::remove_if(pins.loops.begin(), pins.loops.end(),
                                    [&](const auto &of) { return of.first == root; }),
                     pins.loops.end());
    pins.loops.emplace_back(root, seed);
}

/** Loops of what has no nest of its own any more would be refused. */
void drop_loops(Pins &pins, const Placements &placements) {
    pins.loops.erase(std::remove_if(pins.loops.begin(), pins.loops.end(),
                                    [&](const auto &of) { return placements[of.first].kind != Kind::root; }),
                     pins.loops.end());
}

}  // namespace

std::vector<Neighbour> other_places(const Graph &graph, const Machine &machine,
                                    const std::vector<Rule> &rules, const Planned &planned,
                                    const Pins &pins) {
    Pins kept;  // what is no choice, such as inputs in panels
    kept.limits = pins.limits;
    kept.packed = pins.packed;
    Completer completer(graph, machine, kept);
    std::vector<Step> weighed;
    const Placements &now = planned.plan.placements;
    std::vector<Move> all = moves(graph, rules, completer, now, weighed);
    all.erase(
        std::remove_if(all.begin(), all.end(), [](const Move &m) { return !std::isfinite(m.step.after); }),
        all.end());
    std::stable_sort(all.begin(), all.end(),
                     [](const Move &a, const Move &b) { return a.step.after < b.step.after; });
    std::vector<Neighbour> found;
    for (const Move &move : all) {
        Neighbour next{pins, ""};
        next.pins.funcs.resize(graph.funcs.size());
        for (const FuncId f : graph.funcs.ids()) {
            const Pin to = pin_of(move.placements[f]), from = pin_of(now[f]);
            if (!may_be_pinned(graph, f) || (to.kind == from.kind && to.consumer == from.consumer)) {
                continue;
            }
            next.pins.funcs[f] = to;
            next.change += (next.change.empty() ? "" : ", ") + place(graph, f, to);
        }
        drop_loops(next.pins, move.placements);
        const bool known = std::any_of(found.begin(), found.end(),
                                       [&](const Neighbour &n) { return n.change == next.change; });
        if (!next.change.empty() && !known) {
            found.push_back(std::move(next));
        }
    }
    return found;
}

std::vector<Neighbour> other_loops(const Graph &graph, const Machine &machine, const Planned &planned,
                                   const Pins &pins, uint64_t seed) {
    std::vector<Neighbour> found;
    for (size_t g = 0; g < planned.plan.groups.size() && !machine.gpu; g++) {
        const Group &group = planned.plan.groups[g];
        Neighbour next{pins,
                       "other loops for " + graph.funcs[group.root].name + " (" + std::to_string(seed) + ")"};
        pin_loops(next.pins, graph, group.root, seed);
        Planned other = planned;
        take_pinned_loops(graph, machine, next.pins, other);
        if (to_string(other.plan) != to_string(planned.plan)) {
            found.push_back(std::move(next));
        }
    }
    return found;
}

}  // namespace eutectic
