#include "tests/support/exhaustive.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "fusion/rewrites/shared_rows.h"
#include "fusion/rules/rules.h"
#include "tests/support/rule_named.h"

namespace eutectic::test {

namespace {

using Kind = Placement::Kind;

/** One Func after the other, readers first, gets every place that is legal with what was chosen for those. */
class Enumeration {
public:
    using Visit = std::function<void(const Placements &, Seconds)>;

    Enumeration(const Graph &graph, Completer &completer, size_t most, const Visit &visit)
        : graph_(graph),
          completer_(completer),
          most_(most),
          visit_(visit),
          start_(unfused(graph)),
          computed_from_(paths(graph)) {
    }

    /** Were they all? */
    bool run() {
        rewrite(0, start_);
        return visited_ <= most_;
    }

private:
    using Paths = Table<FuncId, Table<FuncId, bool>>;

    const Graph &graph_;
    Completer &completer_;
    const size_t most_;
    const Visit &visit_;
    const Placements start_;
    const Paths computed_from_;  // [f][g]: is f computed from g?
    size_t visited_ = 0;

    static Paths paths(const Graph &graph) {
        const size_t n = graph.funcs.size();
        Paths from(n, Table<FuncId, bool>(n, false));
        for (const Edge &e : graph.edges) {  // producers first
            const FuncId reader = graph.stages[e.consumer].func;
            from[reader][e.producer] = true;
            for (const FuncId f : graph.funcs.ids()) {
                from[reader][f] = from[reader][f] || from[e.producer][f];
            }
        }
        return from;
    }

    /** Might the loops of `root` write `f`, wherever others are? is_legal(), of the whole, takes longer. */
    bool might_share(const Placements &now, FuncId f, FuncId root) const {
        const FuncInfo &info = graph_.funcs[f], &writer = graph_.funcs[root];
        if (writer.stages.size() != 1 || now[root].kind != Kind::root || computed_from_[root][f]) {
            return false;
        }
        if (is_sum(graph_, f)) {
            return !info.extents.empty() && writer.extents.size() >= 2;
        }
        if (run_length(graph_, now, f, root) > 1) {
            return true;
        }
        const std::vector<int64_t> &inner = info.extents, &outer = writer.extents;
        const bool may_fit = inner.size() <= outer.size() && !computed_from_[f][root];
        return may_fit && std::equal(inner.rbegin(), inner.rend(), outer.rbegin());
    }

    /** Rewrites change who reads whom, so they come first. */
    void rewrite(FuncId f, const Placements &now) {
        if (!graph_.funcs.contains(f)) {
            place(f - 1, now);
            return;
        }
        rewrite(f + 1, now);
        const FuncInfo &info = graph_.funcs[f];
        if (info.input) {
            return;
        }
        if (graph_.pure_stage(f).row_division) {
            Placements next = now;
            next[f].reciprocal = true;
            rewrite(f + 1, next);
        }
        if (info.stages.size() == 2 && graph_.last_stage(f).late_division) {
            Placements next = now;
            next[f].divide_late = true;
            rewrite(f + 1, next);
        }
    }

    void place(FuncId f, const Placements &now) {
        if (visited_ > most_) {
            return;
        }
        if (f < 0) {
            consider(now);
            return;
        }
        place(f - 1, now);  // where it was at the start
        if (start_[f].kind != Kind::root) {
            return;
        }
        const std::vector<FuncId> readers = graph_.consumer_funcs(f);
        const auto move = [&](Kind kind, FuncId into) {
            Placements next = now;
            next[f] = {kind, into};
            if (next[f].reciprocal == now[f].reciprocal) {  // otherwise it is tried without that rewrite
                place(f - 1, next);
            }
        };
        if (!readers.empty() && may_inline(graph_, now, {f, readers})) {
            move(Kind::inlined, -1);
        }
        for (const FuncId other : graph_.funcs.ids()) {
            if (other == f || graph_.funcs[other].input) {
                continue;
            }
            if (other > f && !readers.empty() && may_compute_at_tile(graph_, now, f, other)) {
                move(Kind::at, other);
            }
            if (other > f && !readers.empty() && may_compute_in_block(graph_, now, f, other)) {
                move(Kind::block, other);
            }
            if (might_share(now, f, other)) {
                move(is_sum(graph_, f) ? Kind::strips : Kind::joint, other);
            }
        }
    }

    /** Is every rewrite one that its rule allows, and every Func where it may be? */
    bool is_legal(const Placements &placements) const {
        for (const FuncId f : graph_.funcs.ids()) {
            const Placement &p = placements[f];
            Placements without = placements;
            Placement &w = without[f];
            w.reciprocal = w.divide_late = false;
            if (p.reciprocal && !rule_named("multiply_by_reciprocal").legal(graph_, without, {f, {f}})) {
                return false;
            }
            if (p.divide_late && !rule_named("divide_after_reduction").legal(graph_, without, {f, {f}})) {
                return false;
            }
        }
        Placements settled = placements;
        settle(graph_, settled);
        return settled == placements;
    }

    void consider(const Placements &placements) {
        if (!is_legal(placements)) {
            return;
        }
        visited_++;
        visit_(placements, completer_.total(placements));
    }
};

std::string place_of(const Graph &graph, const Placement &p) {
    const char *const kinds[] = {"root",          "inlined",          "at ", "block of ", "in the nest of ",
                                 "in strips of ", "in one pass with "};
    std::string text = kinds[static_cast<int>(p.kind)];
    text += p.consumer >= 0 ? graph.funcs[p.consumer].name : "";
    return text + (p.reciprocal ? " by reciprocals" : "") + (p.divide_late ? " divided late" : "");
}

}  // namespace

bool visit_all(const Graph &graph, Completer &completer, size_t most,
               const std::function<void(const Placements &, Seconds)> &visit) {
    return Enumeration(graph, completer, most, visit).run();
}

std::optional<Cheapest> cheapest_of_all(const Graph &graph, Completer &completer, size_t most) {
    Cheapest best;
    best.total = std::numeric_limits<double>::infinity();
    const bool all = visit_all(graph, completer, most, [&](const Placements &placements, Seconds total) {
        best.priced++;
        if (total < best.total) {
            best.total = total;
            best.placements = placements;
        }
    });
    return all ? std::optional(best) : std::nullopt;
}

std::string differences(const Graph &graph, const Placements &from, const Placements &to) {
    std::string text;
    for (size_t f = 0; f < from.size(); f++) {
        if (!(from[f] == to[f])) {
            text += (text.empty() ? "" : ", ") + graph.funcs[f].name + " ";
            text += place_of(graph, from[f]) + " -> " + place_of(graph, to[f]);
        }
    }
    return text;
}

}  // namespace eutectic::test
