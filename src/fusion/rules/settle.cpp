// What a change of one placement means for the others: a Func stays where all that reads it is, or moves to
// where it is now.

#include <optional>

#include "fusion/plan/shared_rows.h"
#include "fusion/rewrite.h"
#include "fusion/rules/rules.h"

namespace eutectic {

namespace {

bool still_fits(const Graph &graph, const Placements &placements, FuncId func) {
    const Placement &p = placements[func];
    const auto may = [&](const auto &legal) {
        return static_cast<bool>(legal(graph, placements, func, p.consumer));
    };
    switch (p.kind) {
    case Placement::Kind::at: return may(may_compute_at_tile);
    case Placement::Kind::block: return may(may_compute_in_block);
    case Placement::Kind::joint: return may(may_write_with);
    case Placement::Kind::strips: return may(may_sum_in_strips);
    case Placement::Kind::one_pass:
        return placements[p.consumer].kind == Placement::Kind::root &&
               computed_by_rewrite(graph, placements, func, p.consumer);
    case Placement::Kind::root:
    case Placement::Kind::inlined: break;
    }
    return true;
}

/** Are nests left as they were all that they may still be? What a nest may write changes with what is in it
 * and in its loops, and, for all nests, with the order in which they can run. */
class NestsLeft {
public:
    /** `before` was settled. */
    NestsLeft(const Graph &graph, const Placements &before, const Placements &placements)
        : graph_(graph), changed_(placements.size(), false) {
        for (const FuncId f : placements.ids()) {
            if (!placements.agree(before, f)) {
                moved(f, before[f], placements);
            }
        }
    }

    /** `func` was at `from`, and is now where `placements` say. */
    void moved(FuncId func, const Placement &from, const Placements &placements) {
        changed_[func] = true;
        for (const FuncId consumer : {from.consumer, placements[func].consumer}) {
            if (consumer >= 0) {
                changed_[consumer] = true;
                changed_[shares_nest(placements[consumer]) ? placements[consumer].consumer : consumer] = true;
            }
        }
    }

    /** Does `func`, which shares a nest, surely fit it as it did before? */
    bool fits(const Placements &placements, FuncId func) {
        const FuncId root = placements[func].consumer;
        if (placements[func].kind != Placement::Kind::joint || changed_[func] || changed_[root] ||
            placements[root].kind != Placement::Kind::root ||
            graph_.funcs[func].extents != graph_.funcs[root].extents) {
            return false;
        }
        if (!in_order_) {
            in_order_ = nests_in_order(graph_, placements);
        }
        return *in_order_;
    }

private:
    const Graph &graph_;
    Table<FuncId, bool> changed_;   // itself, what shares its nest, or what is in its loops
    std::optional<bool> in_order_;  // looked at once: nests that are taken apart later leave it so
};

}  // namespace

Placements apart(const Placements &placements, FuncId func) {
    Placements next = placements;
    for (const FuncId f : next.ids()) {
        Placement &p = next[f];
        if (shares_nest(p) && (f == func || p.consumer == func)) {
            p = {Placement::Kind::root};
        }
    }
    return next;
}

Placements apart_from_pure(const Graph &graph, const Placements &placements, FuncId func) {
    Placements next = apart(placements, func);
    const bool shares_blocks =
        holds_blocks(placements, func);  // what is in them is read by all that is written there
    for (const FuncId f : next.ids()) {
        if ((placements[f].kind != Placement::Kind::joint && recomputed_for(graph, placements, f) != func) ||
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
    const bool at_tile = p.kind == Placement::Kind::at, whole = shares_nest(p);
    p = {Placement::Kind::root};
    if (whole) {
        return;
    }
    const std::vector<Reader> all = readers(graph, placements, f);
    const std::vector<FuncId> roots = roots_of_readers(graph, placements, f);
    if (at_tile && !all.empty() && may_compute_at_tile(graph, placements, f, all.front().func)) {
        p = {Placement::Kind::at, all.front().func};
    } else if (roots.size() == 1 && roots.front() != f &&
               may_compute_in_block(graph, placements, f, roots.front())) {
        p = {Placement::Kind::block, roots.front()};
    }
}

}  // namespace

namespace {

/** What shares a nest whose root had blocks may not do so where these have moved, after it was looked at. */
void settle_shared(const Graph &graph, Placements &placements, NestsLeft *left = nullptr) {
    for (const FuncId f : placements.ids()) {
        if (shares_nest(placements[f]) && !(left && left->fits(placements, f)) &&
            !still_fits(graph, placements, f)) {
            place_anew(graph, placements, f);
        }
    }
}

}  // namespace

void settle(const Graph &graph, Placements &placements) {
    for (const FuncId f : placements.reversed_ids()) {  // readers first
        if (!still_fits(graph, placements, f)) {
            place_anew(graph, placements, f);
        }
    }
    settle_shared(graph, placements);
    keep_rewrites(graph, placements);
}

void settle(const Graph &graph, const Placements &before, Placements &placements) {
    if (before.change_reads() || placements.change_reads()) {  // who reads whom changes as well
        settle(graph, placements);
        return;
    }
    // Does a reader of it compute elsewhere than before? Does what reads it, if that is another place?
    Table<FuncId, bool> reader_moved(placements.size(), false), moved(placements.size(), false);
    NestsLeft left(graph, before, placements);
    for (const FuncId f : placements.reversed_ids()) {
        const auto inside_moved = [&](const Placement &p) {
            return (p.kind == Placement::Kind::at || p.kind == Placement::Kind::block) && moved[p.consumer];
        };
        const bool is_new = !placements.agree(before, f);
        const bool shares = shares_nest(placements[f]);
        if ((shares ? !left.fits(placements, f) : reader_moved[f] || is_new || inside_moved(placements[f])) &&
            !still_fits(graph, placements, f)) {
            const Placement from = placements[f];
            place_anew(graph, placements, f);
            left.moved(f, from, placements);
        }
        moved[f] = !placements.agree(before, f) || inside_moved(placements[f]) ||
                   (placements[f].kind == Placement::Kind::inlined && reader_moved[f]);
        for (const StageId s : moved[f] ? graph.funcs[f].stages : std::vector<StageId>()) {
            for (const EdgeId e : graph.stages[s].edges) {
                reader_moved[graph.edges[e].producer] = true;
            }
        }
    }
    settle_shared(graph, placements, &left);
    keep_rewrites(graph, placements);
}

Placements back_in_memory(const Graph &graph, const Placements &placements, FuncId func) {
    Placements next = placements;
    next[func] = {Placement::Kind::root, -1};
    settle(graph, placements, next);
    return next;
}

}  // namespace eutectic
