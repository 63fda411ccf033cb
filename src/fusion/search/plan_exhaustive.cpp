#include "fusion/search/plan_exhaustive.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "base/user_error.h"
#include "fusion/plan/shared_rows.h"
#include "fusion/rewrite.h"
#include "fusion/rules/rules.h"
#include "fusion/search/descend.h"

namespace eutectic {

namespace {

using Kind = Placement::Kind;

// Times as many as may be priced: what is looked at before it is known to be legal, so that the search ends
// where few are. Chosen: a look takes a hundredth of a price.
constexpr size_t most_looks_per_price = 100;

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
          uses_(uses_of(graph, start_)),
          computed_from_(paths(graph)) {
    }

    /** Were they all? */
    bool run() {
        rewrite(0, start_);
        return !beyond();
    }

private:
    using Paths = Table<FuncId, Table<FuncId, bool>>;

    const Graph &graph_;
    Completer &completer_;
    const size_t most_;
    const Visit &visit_;
    const Placements start_;
    const Table<FuncId, std::vector<const Rewrite *>> uses_;  // of each Func
    const Paths computed_from_;                               // [f][g]: is f computed from g?
    size_t visited_ = 0, looked_at_ = 0;

    bool beyond() const {
        return visited_ > most_ || looked_at_ / most_looks_per_price > most_;
    }

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

    /** The rewrites whose patterns each Func has and whose rules look at that Func alone. */
    static Table<FuncId, std::vector<const Rewrite *>> uses_of(const Graph &graph, const Placements &start) {
        Table<FuncId, std::vector<const Rewrite *>> uses(graph.funcs.size());
        for (const Stage &stage : graph.stages) {
            for (const std::shared_ptr<const Pattern> &p : stage.patterns) {
                const std::optional<Rule> rule = p->rewrite->rule();
                const std::vector<Site> sites = rule ? rule->match(graph, start) : std::vector<Site>();
                if (std::any_of(sites.begin(), sites.end(), [&](const Site &site) {
                        return site.producer == stage.func &&
                               site.consumers == std::vector<FuncId>{stage.func};
                    })) {
                    uses[stage.func].push_back(p->rewrite);
                }
            }
        }
        return uses;
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
        const Extents &inner = info.extents, &outer = writer.extents;
        const bool may_fit = inner.size() <= outer.size() && !computed_from_[f][root];
        return may_fit &&
               std::equal(inner.elements().rbegin(), inner.elements().rend(), outer.elements().rbegin());
    }

    /** Rewrites change who reads whom, so they come first. */
    void rewrite(FuncId f, const Placements &now) {
        if (!graph_.funcs.contains(f)) {
            place(f - 1, now);
            return;
        }
        rewrite(f + 1, now);
        for (const Rewrite *r : uses_[f]) {
            Placements next = now;
            next.use(*r, f);
            rewrite(f + 1, next);
        }
    }

    /** Are the rewrites of `f` possible where it is? */
    bool hold(const Placements &now, FuncId f) const {
        return std::all_of(now.rewrites().begin(), now.rewrites().end(), [&](const RewriteUse &u) {
            return u.func != f || u.rewrite->holds(graph_, now, f);
        });
    }

    void place(FuncId f, const Placements &now) {
        if (beyond()) {
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
            if (hold(next, f)) {  // otherwise it is tried without that rewrite
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
        for (const RewriteUse &u : placements.rewrites()) {
            Placements without = placements;
            without.drop(*u.rewrite, u.func);
            if (!u.rewrite->rule()->legal(graph_, without, {u.func, {u.func}})) {
                return false;
            }
        }
        Placements settled = placements;
        settle(graph_, settled);
        return settled == placements;
    }

    void consider(const Placements &placements) {
        looked_at_++;
        if (!obeys(graph_, completer_.pins(), placements) || !is_legal(placements)) {
            return;
        }
        visited_++;
        visit_(placements, completer_.total(placements));
    }
};

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

Planned plan_exhaustive(const Graph &graph, const Machine &machine, const Pins &pins) {
    Completer completer(graph, machine, pins);
    const std::optional<Cheapest> best = cheapest_of_all(graph, completer, most_of_all);
    if (!best) {
        throw UserError("The search exhaustive was asked for, but there are more than " +
                        std::to_string(most_of_all) + " ways to place the " +
                        std::to_string(graph.funcs.size()) +
                        " Funcs of this pipeline: search with a beam, or pin some of them.");
    }
    if (!std::isfinite(best->total)) {
        throw UserError(
            "The search exhaustive was asked for, but no place of all Funcs has loops and does what "
            "the pins in " +
            pins.source + " say: leave one of them out.");
    }
    Planned planned;
    const Placements start = unfused(graph);
    const Seconds before = completer.total(start);
    for (const FuncId f : graph.funcs.ids()) {
        if (!start.agree(best->placements, f)) {
            planned.taken.push_back({"exhaustive",
                                     {f, graph.consumer_funcs(f)},
                                     Verdict::allow(),
                                     before,
                                     best->total,
                                     true,
                                     {f}});
        }
    }
    planned.unfused = completer.plan(start);
    planned.plan = completer.plan(best->placements);
    return planned;
}

}  // namespace eutectic
