// y(j, i) = e(j, i) / s(i)   →   inv(i) = 1 / s(i);  y(j, i) = e(j, i) * inv(i)
//
// The product is rounded twice, hence the grade. Legal when y is pure with loops of its own (an inlined y has
// no row), still divides (no reduction took the division over), and numerics are not strict.

#include <algorithm>

#include "fusion/plan/made_ids.h"
#include "fusion/rules/rules.h"
#include "graph/read/row_divisor.h"
#include "schedules/rewrites.h"
#include "schedules/rewrites/made_rewrite.h"
#include "schedules/rewrites/patterns.h"

namespace eutectic {

using namespace Halide;

namespace {

const RowDivision *division_of(const Graph &graph, FuncId func) {
    return graph.funcs[func].input ? nullptr : pattern_of<RowDivision>(graph.pure_stage(func));
}

/** Is there a reciprocal for each row, not one for all? */
bool each_row(const RowDivision &division) {
    return std::find(division.changes.begin(), division.changes.end(), true) != division.changes.end();
}

/** Does `func` have loops in which its reciprocals may be? */
bool has_loops(const Placement &p) {
    return materialized(p) || p.kind == Placement::Kind::block;
}

/** The nest whose blocks may hold the inlined `func`, if one reads it. */
std::optional<FuncId> nest_around(const Graph &graph, const Placements &placements, FuncId func) {
    const std::vector<FuncId> nests = nests_of_readers(graph, placements, func);
    const bool may = placements[func].kind == Placement::Kind::inlined && nests.size() == 1 &&
                     may_compute_in_block(graph, placements, func, nests.front());
    return may ? std::make_optional(nests.front()) : std::nullopt;
}

std::vector<Site> match(const Graph &graph, const Placements &placements) {
    std::vector<Site> sites;
    for (const FuncId f : graph.funcs.ids()) {
        if (division_of(graph, f) && !placements.uses(reciprocal_rewrite(), f)) {
            sites.push_back({f, {f}});
        }
    }
    return sites;
}

Verdict legal(const Graph &graph, const Placements &placements, const Site &site) {
    const FuncInfo &f = graph.funcs[site.producer];
    if (graph.strict) {
        return Verdict::forbid("a reciprocal instead of " + f.name +
                               "'s division would round twice, which strict numerics forbid");
    }
    if (f.user_scheduled) {
        return Verdict::forbid(f.name + " carries a schedule of the user's, which is left as it is");
    }
    if (const auto by = also_changed_by(graph, placements, site.producer)) {
        return Verdict::forbid(f.name + " no longer divides: what " + graph.funcs[by->func].name +
                               " sums up is divided afterwards");
    }
    if (!has_loops(placements[site.producer]) && !nest_around(graph, placements, site.producer)) {
        return Verdict::forbid(
            f.name + " is computed inside another Func's expression, where no row shares its divisor");
    }
    return Verdict::allow();
}

/** With what that makes loops for: each row's reciprocal is computed in those of its own Func alone. */
Placements apart_with_reciprocals(const Graph &graph, const Placements &placements,
                                  const std::vector<FuncId> &funcs) {
    Placements next = placements;
    for (const FuncId f : funcs) {
        next = each_row(*division_of(graph, f)) ? apart_from_pure(graph, next, f) : next;
        next.use(reciprocal_rewrite(), f);
    }
    settle(graph, placements, next);
    return next;
}

/** What else the nest of `func` writes that divides, and `func`. */
std::vector<FuncId> dividing_together(const Graph &graph, const Placements &placements, FuncId func) {
    std::vector<FuncId> all;
    for (const FuncId f : written_with(placements, func)) {
        const bool divides = division_of(graph, f) && !placements.uses(reciprocal_rewrite(), f);
        if (f == func || (divides && legal(graph, placements, {f, {f}}))) {
            all.push_back(f);
        }
    }
    return all;
}

std::vector<Placements> candidates(const Graph &graph, const Placements &placements, const Site &site) {
    const bool own_loops = each_row(*division_of(graph, site.producer));
    const Placement &p = placements[site.producer];
    if (!has_loops(p)) {  // inlined: a block of the one nest that reads it has loops
        Placements next = placements;
        next[site.producer] = {Placement::Kind::block, *nest_around(graph, placements, site.producer)};
        return {apart_with_reciprocals(graph, next, {site.producer})};
    }
    if (own_loops && shares_nest(p) && holds_blocks(placements, p.consumer)) {
        return {};  // its loops are another Func's, and what is in their blocks needs it there
    }
    std::vector<Placements> result = {apart_with_reciprocals(graph, placements, {site.producer})};
    const std::vector<FuncId> all = dividing_together(graph, placements, site.producer);
    if (own_loops && all.size() > 1) {  // the nest comes apart for one of them, and then may for all
        result.push_back(apart_with_reciprocals(graph, placements, all));
    }
    return result;
}

class Reciprocal : public MadeRewrite {
public:
    const char *name() const override {
        return "reciprocal";
    }

    std::shared_ptr<const Pattern> find(const DefinitionContext &d) const override {
        if (d.stage.update >= 0) {
            return nullptr;
        }
        const std::optional<Expr> divisor = row_divisor(d.f);
        if (!divisor) {
            return nullptr;
        }
        DimFlags changes;
        for (const std::string &arg : d.f.args()) {
            changes.push_back(Internal::expr_uses_var(*divisor, arg));
        }
        return std::make_shared<RowDivision>(std::move(changes));
    }

    std::optional<Rule> rule() const override {
        return Rule{"multiply_by_reciprocal", match, legal, candidates, true};
    }

    /** One division for all that share the divisor, and a multiplication each. */
    void rewrite(Graph &graph, const Graph &algorithm, const Placements &, FuncId func) const override {
        Stage &stage = graph.stages[graph.funcs[func].stages.front()];
        stage.body.divisions = std::max(0.0, stage.body.divisions - 1);
        stage.body.flops += 1;
        ExprSummary division;
        division.divisions = 1;
        stage.hoisted.push_back({division, division_of(algorithm, func)->changes});
    }

    bool holds(const Graph &, const Placements &placements, FuncId func) const override {
        return has_loops(placements[func]);
    }

    Verdict allows(const Graph &graph, const Placements &, FuncId func, NestSharing sharing,
                   FuncId other) const override {
        const std::string &name = graph.funcs[func].name;
        if (sharing == NestSharing::joint_nest && each_row(*division_of(graph, func))) {
            return Verdict::forbid(name + "'s loops hold a reciprocal for each row, and are its own");
        }
        if (sharing == NestSharing::recomputed) {
            return Verdict::forbid(name + " is multiplied by reciprocals in its own loops, where " +
                                   graph.funcs[other].name + ", which would recompute it, is not");
        }
        return Verdict::allow();
    }

    void add_to(Group &g, const Graph &graph, const Placements &placements, FuncId func,
                MadeIds &ids) const override;

    Takes takes() const override {
        return Takes::changed;
    }
    const char *function() const override {
        return "multiply_by_reciprocal";
    }
    Func make(const RewriteArguments &a) const override {
        return multiply_by_reciprocal(a.func);
    }
};

/** The innermost of the loops of `func` that changes what it divides by. */
std::optional<LoopRef> innermost_change(const Group &g, FuncId func, const DimFlags &changes) {
    std::optional<LoopRef> where;
    if (g.tree.find(func, -1)) {
        const Nest nest = g.tree.nest(func, -1).nest;
        for (size_t l = 0; l < nest.loops.size() && !is_unrolled(nest.loops[l].kind); l++) {
            const DimId dim = nest.loops[l].dim;
            if (dim >= 0 && changes[dim]) {
                where = g.tree.loop_of(func, -1, static_cast<int>(l));
            }
        }
    }
    return where;
}

void Reciprocal::add_to(Group &g, const Graph &graph, const Placements &placements, FuncId func,
                        MadeIds &ids) const {
    const DimFlags &changes = division_of(graph, func)->changes;
    std::optional<LoopRef> where = innermost_change(g, func, changes);
    // No loop changes what divides everything, but it may be computed in a block; and what divides a row in
    // one of the blocks of that row.
    const bool may_be_in_block = !where || where->func == g.root;
    for (const TreeFunc &f : g.tree.funcs()) {
        if (may_be_in_block && f.computed && f.computed->func == g.root &&
            placements[algorithm_func(g, f.func)].kind == Placement::Kind::block) {
            where = LoopRef{g.root, -1, std::max(where ? where->loop : 0, f.computed->loop)};
        }
    }
    const FuncInfo &info = graph.funcs[func];
    Added made = Added::rewrite(name(), ids.of(name(), func), func, {}, Grade::reassociating);
    made.bytes = info.bytes_per_point;
    for (const DimId d : info.extents.ids()) {
        made.bytes *= changes[d] ? info.extents[d] : 1;
    }
    g.added.insert(g.added.begin(), made);
    if (where) {
        g.tree.add_in_loop(made.id, *where, {});
    } else {
        g.tree.add_at_root(made.id);
    }
}

}  // namespace

const MadeRewrite &reciprocal() {
    static const Reciprocal rewrite;
    return rewrite;
}

const Rewrite &reciprocal_rewrite() {
    return reciprocal();
}

}  // namespace eutectic
