// What a change of one placement means for the others: a Func stays where all that reads it is, or moves to where it is now.

#include <algorithm>

#include "fusion/rules/rules.h"

namespace eutectic {

namespace {

bool still_fits(const Graph &graph, const Placements &placements, FuncId func) {
    const Placement &p = placements[static_cast<size_t>(func)];
    if (p.kind == Placement::Kind::at) {
        return static_cast<bool>(may_compute_at_tile(graph, placements, func, p.consumer));
    }
    if (p.kind == Placement::Kind::with) {
        return static_cast<bool>(may_write_with(graph, placements, func, p.consumer));
    }
    return p.kind != Placement::Kind::block || may_compute_in_block(graph, placements, func, p.consumer);
}

}  // namespace

Placements apart(const Placements &placements, FuncId func) {
    Placements next = placements;
    for (FuncId f = 0; f < static_cast<FuncId>(next.size()); f++) {
        Placement &p = next[static_cast<size_t>(f)];
        if (p.kind == Placement::Kind::with && (f == func || p.consumer == func)) {
            p = p.moved(Placement::Kind::root, -1);
        }
    }
    return next;
}

void settle(const Graph &graph, Placements &placements) {
    for (FuncId f = static_cast<FuncId>(placements.size()) - 1; f >= 0; f--) {  // readers first
        Placement &p = placements[static_cast<size_t>(f)];
        if (still_fits(graph, placements, f)) {
            continue;
        }
        const bool at_tile = p.kind == Placement::Kind::at, whole = p.kind == Placement::Kind::with;
        p = p.moved(Placement::Kind::root, -1);
        if (whole) {
            continue;
        }
        const std::vector<Reader> all = readers(graph, placements, f);
        const std::vector<FuncId> homes = homes_of_readers(graph, placements, f);
        if (at_tile && !all.empty() && may_compute_at_tile(graph, placements, f, all.front().func)) {
            p = p.moved(Placement::Kind::at, all.front().func);
        } else if (homes.size() == 1 && homes.front() != f && may_compute_in_block(graph, placements, f, homes.front())) {
            p = p.moved(Placement::Kind::block, homes.front());
        }
    }
}

}  // namespace eutectic
