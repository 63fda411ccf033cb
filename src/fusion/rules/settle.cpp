// What a change of one placement means for the others: a Func stays where all that reads it is, or moves to
// where it is now.

#include "fusion/rewrites/late_division.h"
#include "fusion/rewrites/shared_rows.h"
#include "fusion/rules/rules.h"

namespace eutectic {

namespace {

bool still_fits(const Graph &graph, const Placements &placements, FuncId func) {
    const Placement &p = placements[func];
    if (p.kind == Placement::Kind::at) {
        return static_cast<bool>(may_compute_at_tile(graph, placements, func, p.consumer));
    }
    if (p.kind == Placement::Kind::with && placements[p.consumer].online) {
        return placements[p.consumer].kind == Placement::Kind::root;  // the maximum of that sum
    }
    if (p.kind == Placement::Kind::with) {
        return static_cast<bool>(may_write_with(graph, placements, func, p.consumer));
    }
    return p.kind != Placement::Kind::block || may_compute_in_block(graph, placements, func, p.consumer);
}

}  // namespace

Placements apart(const Placements &placements, FuncId func) {
    Placements next = placements;
    for (const FuncId f : next.ids()) {
        Placement &p = next[f];
        if (p.kind == Placement::Kind::with && (f == func || p.consumer == func)) {
            p = p.moved(Placement::Kind::root, -1);
        }
    }
    return next;
}

Placements apart_from_pure(const Graph &graph, const Placements &placements, FuncId func) {
    Placements next = apart(placements, func);
    const bool shares_blocks =
        holds_blocks(placements, func);  // what is in them is read by all that is written there
    for (const FuncId f : next.ids()) {
        if ((is_sum(graph, f) && computed_again_for(graph, placements, f) != func) ||
            (shares_blocks && placements[f].consumer == func)) {
            next[f] = placements[f];
        }
    }
    return next;
}

namespace {

/** Moves `f` to where all that reads it is, or back to Root. */
void place_anew(const Graph &graph, Placements &placements, FuncId f) {
    Placement &p = placements[f];
    const bool at_tile = p.kind == Placement::Kind::at, whole = p.kind == Placement::Kind::with;
    p = p.moved(Placement::Kind::root, -1);
    if (whole) {
        return;
    }
    const std::vector<Reader> all = readers(graph, placements, f);
    const std::vector<FuncId> homes = homes_of_readers(graph, placements, f);
    if (at_tile && !all.empty() && may_compute_at_tile(graph, placements, f, all.front().func)) {
        p = p.moved(Placement::Kind::at, all.front().func);
    } else if (homes.size() == 1 && homes.front() != f &&
               may_compute_in_block(graph, placements, f, homes.front())) {
        p = p.moved(Placement::Kind::block, homes.front());
    }
}

}  // namespace

void settle(const Graph &graph, Placements &placements) {
    for (const FuncId f : placements.reversed_ids()) {  // readers first
        if (!still_fits(graph, placements, f)) {
            place_anew(graph, placements, f);
        }
    }
    keep_online(graph, placements);
}

void settle(const Graph &graph, const Placements &before, Placements &placements) {
    if (divides_late(before) || divides_late(placements)) {  // who reads whom changes as well
        settle(graph, placements);
        return;
    }
    // Does a reader of it compute elsewhere than before? Does what reads it, if that is another place?
    Table<FuncId, bool> reader_moved(placements.size(), false), moved(placements.size(), false);
    for (const FuncId f : placements.reversed_ids()) {
        const auto inside_moved = [&](const Placement &p) {
            return (p.kind == Placement::Kind::at || p.kind == Placement::Kind::block) && moved[p.consumer];
        };
        const bool is_new = !(placements[f] == before[f]);
        if ((reader_moved[f] || is_new || inside_moved(placements[f]) ||
             placements[f].kind == Placement::Kind::with) &&
            !still_fits(graph, placements, f)) {
            place_anew(graph, placements, f);
        }
        moved[f] = !(placements[f] == before[f]) || inside_moved(placements[f]) ||
                   (placements[f].kind == Placement::Kind::inlined && reader_moved[f]);
        for (const StageId s : moved[f] ? graph.funcs[f].stages : std::vector<StageId>()) {
            for (const EdgeId e : graph.stages[s].edges) {
                reader_moved[graph.edges[e].producer] = true;
            }
        }
    }
    keep_online(graph, placements);
}

}  // namespace eutectic
