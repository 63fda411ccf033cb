// c(j, i) += e(k, i) / s(i) * v(j, k)   →   c(j, i) += e(k, i) * v(j, k), and whoever reads c(j, i) gets
// c(j, i) / s(i)
//
// One division an element of c instead of one a term; e / s, a Func of its own or written out, need not
// exist. The same with a factor s(i). Terms are rounded otherwise, hence the grade. Legal when 1. numerics
// are not strict, 2. c starts at 0 (any other start would be divided too), 3. neither c nor the quotient is
// scheduled or kept by the user, 4. c has a dim, to be written tile by tile, 5. no extern stage takes c as a
// buffer. Other readers of the quotient keep it, divided. schedules/rewrites.h says what becomes of zeros,
// infinities and overflow.

#include <algorithm>

#include "fusion/plan/made_ids.h"
#include "fusion/rules/rules.h"
#include "graph/read/late_divisor.h"
#include "schedules/rewrites.h"
#include "schedules/rewrites/made_rewrite.h"
#include "schedules/rewrites/patterns.h"

namespace eutectic {

using namespace Halide;

namespace {

const LateDivision *late_division_of(const Graph &graph, FuncId sum) {
    const FuncInfo &info = graph.funcs[sum];
    return info.input || info.stages.size() != 2 ? nullptr : pattern_of<LateDivision>(graph.last_stage(sum));
}

std::vector<Site> match(const Graph &graph, const Placements &placements) {
    std::vector<Site> sites;
    for (const FuncId f : graph.funcs.ids()) {
        if (late_division_of(graph, f) && !placements.uses(late_division_rewrite(), f)) {
            sites.push_back({f, {f}});
        }
    }
    return sites;
}

Verdict legal(const Graph &graph, const Placements &, const Site &site) {
    const FuncInfo &c = graph.funcs[site.producer];
    const LateDivision &late = *late_division_of(graph, site.producer);
    if (graph.strict) {
        return Verdict::forbid("dividing the sum " + c.name +
                               " instead of its terms would round otherwise, which strict numerics forbid");
    }
    for (const FuncId f : {site.producer, late.quotient}) {
        if (f < 0) {
            continue;
        }
        const FuncInfo &info = graph.funcs[f];
        if (info.user_scheduled) {
            return Verdict::forbid(info.name + " carries a schedule of the user's, which is left as it is");
        }
        if (!info.own_buffer_reason.empty()) {
            return Verdict::forbid(info.name + " " + info.own_buffer_reason);
        }
    }
    if (!late.from_zero) {
        return Verdict::forbid(c.name +
                               " does not start at 0, and what it starts at would be divided with the sum");
    }
    if (c.extents.empty()) {
        return Verdict::forbid(c.name + " is a single value: it has no tile whose writer could divide");
    }
    for (const StageId s : graph.consumers(site.producer)) {
        const Stage &reader = graph.stages[s];
        if (reader.external) {
            return Verdict::forbid(graph.funcs[reader.func].name + " is an extern stage, which takes " +
                                   c.name + " as a buffer");
        }
    }
    return Verdict::allow();
}

/** The division alone, and with what is left of the quotient inlined: where that was only a quotient of two
 * Funcs, nothing remains to be stored. */
std::vector<Placements> candidates(const Graph &graph, const Placements &placements, const Site &site) {
    Placements next = placements;
    next.use(late_division_rewrite(), site.producer);
    if (const FuncId undivided = undivided_quotient(graph, site.producer); undivided >= 0) {
        next.drop(reciprocal_rewrite(), undivided);
    }
    settle(graph, placements, next);
    std::vector<Placements> result{next};
    const FuncId quotient = late_division_of(graph, site.producer)->quotient;
    if (quotient >= 0 && next[quotient].kind != Placement::Kind::inlined &&
        may_inline(graph, next, {quotient, {site.producer}})) {
        result.push_back(inline_producer(graph, next, quotient));
    }
    return result;
}

class LateDivisionRewrite : public MadeRewrite {
public:
    const char *name() const override {
        return "division";
    }

    std::shared_ptr<const Pattern> find(const DefinitionContext &d) const override;

    std::optional<Rule> rule() const override {
        return Rule{"divide_after_reduction", match, legal, candidates, true};
    }

    /** Quotients and updates no longer divide, and the pure definition of the reduction has the work and the
     * loads of the division of one point, wherever that is done. */
    void rewrite(Graph &graph, const Graph &algorithm, const Placements &, FuncId func) const override {
        const std::vector<StageId> &stages = graph.funcs[func].stages;
        const LateDivision &late = *late_division_of(algorithm, func);
        const FuncId quotient = undivided_quotient(algorithm, func);
        const StageId divided = quotient >= 0 ? graph.funcs[quotient].stages.front() : stages.back();
        replace_body(graph, stages.front(), late.division);
        replace_body(graph, divided, quotient >= 0 ? late.numerator : late.undivided);
        graph.stages[stages.front()].wrapper = this;
        for (const StageId s : {stages.front(), divided}) {
            std::vector<std::shared_ptr<const Pattern>> &patterns = graph.stages[s].patterns;
            patterns.erase(std::remove_if(patterns.begin(), patterns.end(),
                                          [](const auto &p) { return p->rewrite == &reciprocal_rewrite(); }),
                           patterns.end());
        }
    }

    bool changes_reads() const override {
        return true;
    }

    std::vector<FuncId> also_changed(const Graph &algorithm, FuncId func) const override {
        const FuncId quotient = undivided_quotient(algorithm, func);
        return quotient >= 0 ? std::vector<FuncId>{quotient} : std::vector<FuncId>();
    }

    Verdict allows(const Graph &graph, const Placements &, FuncId func, NestSharing sharing,
                   FuncId) const override {
        return sharing == NestSharing::other_loops
                   ? Verdict::forbid(graph.funcs[func].name +
                                     " is divided where its tile is written, and has to be summed up there")
                   : Verdict::allow();
    }

    /** Where the sum is in a tile of its reader, that reader divides. */
    void add_to(Group &g, const Graph &graph, const Placements &placements, FuncId func,
                MadeIds &ids) const override {
        if (placements[func].kind == Placement::Kind::at) {
            g.added.insert(g.added.begin(),
                           Added::rewrite(name(), ids.of(name(), func), func, {}, Grade::reassociating));
        }
        for (Added &a : g.added) {
            if (a.kind == Added::Kind::rewrite && a.name == name() && algorithm_func(g, a.of) == func) {
                a.others = also_changed(graph, func);
            }
        }
    }

    Takes takes() const override {
        return Takes::undivided;
    }
    const char *function() const override {
        return "divide_after_reduction";
    }
    Func make(const RewriteArguments &a) const override {
        return a.others.empty() ? divide_after_reduction(a.func)
                                : divide_after_reduction(a.func, a.others.front());
    }
};

std::shared_ptr<const Pattern> LateDivisionRewrite::find(const DefinitionContext &d) const {
    const bool reduces = d.stage.role == Role::reduction || d.stage.role == Role::contraction;
    const std::optional<LateDivisor> late = d.stage.update >= 0 && reduces ? late_divisor(d.f) : std::nullopt;
    if (!late) {
        return nullptr;
    }
    auto division = std::make_shared<LateDivision>();
    division->from_zero = late->from_zero;
    std::vector<Expr> values{late->undivided}, args;
    if (const Expr predicate = d.f.updates()[d.stage.update].predicate();
        !Internal::is_const_one(predicate)) {
        values.push_back(predicate);
    }
    division->undivided = d.bodies.rewritten(values, d.stage.dims, d.f.name());
    const auto *sum = late->undivided.as<Internal::Add>();
    division->undivided.multiply_accumulate = sum && sum->b.as<Internal::Mul>() != nullptr;
    for (const std::string &arg : d.f.args()) {
        args.push_back(Internal::Variable::make(Int(32), arg));
    }
    division->division = d.bodies.rewritten({late->apply(Internal::Call::make(d.f, args))},
                                            d.graph.pure_stage(d.stage.func).dims, d.f.name());
    if (late->quotient) {
        division->quotient = d.order.ids.at(late->quotient->name());
        division->others = {division->quotient};
        division->numerator =
            d.bodies.rewritten({late->numerator}, d.graph.pure_stage(division->quotient).dims, "");
    }
    return division;
}

}  // namespace

FuncId undivided_quotient(const Graph &graph, FuncId sum) {
    const LateDivision *late = pattern_of<LateDivision>(graph.last_stage(sum));
    if (!late || late->quotient < 0 || graph.funcs[late->quotient].output) {
        return -1;
    }
    int loads = 0;
    for (const Edge &e : graph.edges) {
        loads += e.producer == late->quotient ? e.loads : 0;
    }
    return loads == 1 ? late->quotient : no_func;
}

const MadeRewrite &late_division() {
    static const LateDivisionRewrite rewrite;
    return rewrite;
}

const Rewrite &late_division_rewrite() {
    return late_division();
}

}  // namespace eutectic
