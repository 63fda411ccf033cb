#include "autodiff/tidy.h"

#include "autodiff/expr_tools.h"
#include "autodiff/guards.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <set>

using namespace Halide;
using namespace Halide::Internal;

namespace eutectic {

namespace {

// Removes `likely`, conditions and clamps that are decided within the bounds, and multiplications by 1 and
// additions of 0.
class Prune : public IRGraphMutator {
public:
    explicit Prune(const VariableBounds &bounds) : bounds_(bounds) {
    }

private:
    using IRGraphMutator::visit;

    Expr visit(const Call *op) override {
        if (op->is_intrinsic({Call::likely, Call::likely_if_innermost})) {
            return mutate(op->args[0]);
        }
        Expr e = IRGraphMutator::visit(op);
        const Call *call = e.as<Call>();
        if (!call || (call->call_type != Call::Halide && call->call_type != Call::Image)) {
            return e;
        }
        std::vector<Expr> args;
        for (const Expr &arg : call->args) {
            args.push_back(simplify_index(arg));
        }
        return Call::make(call->type, call->name, args, call->call_type, call->func, call->value_index,
                          call->image, call->param);
    }

    Expr decide(const Expr &condition, const Expr &opposite) {
        if (proved(condition, bounds_)) {
            return const_true();
        }
        if (proved(opposite, bounds_)) {
            return const_false();
        }
        return condition;
    }
    template<typename Op>
    Expr compare(const Op *op, Expr (*opposite)(Expr, Expr)) {
        const Expr a = mutate(op->a), b = mutate(op->b);
        const Expr condition = Op::make(a, b);
        return a.type() == Int(32) ? decide(condition, opposite(a, b)) : condition;
    }
    Expr visit(const LE *op) override {
        return compare(op, +[](Expr a, Expr b) { return GT::make(a, b); });
    }
    Expr visit(const LT *op) override {
        return compare(op, +[](Expr a, Expr b) { return GE::make(a, b); });
    }
    Expr visit(const GE *op) override {
        return compare(op, +[](Expr a, Expr b) { return LT::make(a, b); });
    }
    Expr visit(const GT *op) override {
        return compare(op, +[](Expr a, Expr b) { return LE::make(a, b); });
    }

    Expr visit(const And *op) override {
        const Expr a = mutate(op->a), b = mutate(op->b);
        if (is_const_one(a) || is_const_zero(b)) {
            return b;
        }
        return is_const_one(b) || is_const_zero(a) ? a : a && b;
    }
    Expr visit(const Or *op) override {
        const Expr a = mutate(op->a), b = mutate(op->b);
        if (is_const_zero(a) || is_const_one(b)) {
            return b;
        }
        return is_const_zero(b) || is_const_one(a) ? a : a || b;
    }
    Expr visit(const Select *op) override {
        const Expr condition = mutate(op->condition);
        if (is_const_one(condition)) {
            return mutate(op->true_value);
        }
        if (is_const_zero(condition)) {
            return mutate(op->false_value);
        }
        const Expr a = mutate(op->true_value), b = mutate(op->false_value);
        return graph_equal(a, b) ? a : Select::make(condition, a, b);
    }

    Expr visit(const Min *op) override {
        return extreme(op, true);
    }
    Expr visit(const Max *op) override {
        return extreme(op, false);
    }
    template<typename Op>
    Expr extreme(const Op *op, bool lower) {
        const Expr a = mutate(op->a), b = mutate(op->b);
        if (a.type() == Int(32)) {
            if (proved(a <= b, bounds_)) {
                return lower ? a : b;
            }
            if (proved(b <= a, bounds_)) {
                return lower ? b : a;
            }
        }
        return Op::make(a, b);
    }

    Expr visit(const Mul *op) override {
        const Expr a = mutate(op->a), b = mutate(op->b);
        if (is_const_one(a) || is_const_zero(b)) {
            return b;
        }
        return is_const_one(b) || is_const_zero(a) ? a : Mul::make(a, b);
    }
    Expr visit(const Add *op) override {
        const Expr a = mutate(op->a), b = mutate(op->b);
        if (is_const_zero(a)) {
            return b;
        }
        return is_const_zero(b) ? a : Add::make(a, b);
    }

    const VariableBounds &bounds_;
};

// Follows calls through the Funcs that propagate_adjoints made.
class Follow {
public:
    explicit Follow(const Resolve &resolve) : resolve_(resolve) {
    }

    // Substitutes pure Funcs, resolves leaves and adjoints, keeps the rest after resolving inside it.
    Expr expand(const Expr &e, const VariableBounds &bounds) {
        return map_calls(e, [&](const Call *call) -> Expr {
            Expr resolved = resolve_(call, bounds);
            if (resolved.defined() || call->call_type != Call::Halide) {
                return resolved;
            }
            Function f = callee(call);
            if (f.has_pure_definition() && !f.has_update_definition() && f.outputs() == 1) {
                return expand(value_at(f, call->args), bounds);
            }
            resolve_in_place(f);
            return Expr();
        });
    }

    void resolve_in_place(Function f) {
        if (!done_.insert(f.name()).second) {
            return;
        }
        const auto rewrite = [&](Definition &definition) {
            VariableBounds bounds;  // pure variables: anything
            add_variables(bounds, definition.schedule().rvars());
            const auto clean = [&](const Expr &e) {
                return map_calls(substitute_in_all_lets(e), [&](const Call *call) -> Expr {
                    return call->name == f.name() ? Expr() : expand_call(call, bounds);
                });
            };
            for (Expr &value : definition.values()) {
                value = common_subexpression_elimination(clean(value));
            }
            for (Expr &arg : definition.args()) {
                arg = clean(arg);
            }
        };
        rewrite(f.definition());
        for (size_t u = 0; u < f.updates().size(); u++) {
            rewrite(f.update(static_cast<int>(u)));
        }
    }

private:
    Expr expand_call(const Call *call, const VariableBounds &bounds) {
        return expand(Expr(call), bounds);
    }

    const Resolve &resolve_;
    std::set<std::string> done_;
};

// Of f(args) = f(args) + e, or e + f(args): e; undefined otherwise.
Expr added_to_self(const StageBody &update, const Function &f) {
    const Add *add = update.value.as<Add>();
    if (!add) {
        return Expr();
    }
    const auto is_self = [&](const Expr &e) {
        const Call *call = e.as<Call>();
        if (!call || call->name != f.name()) {
            return false;
        }
        for (size_t d = 0; d < update.args.size(); d++) {
            if (!equal(call->args[d], update.args[d])) {
                return false;
            }
        }
        return true;
    };
    const Expr rest = is_self(add->a) ? add->b : is_self(add->b) ? add->a : Expr();
    if (rest.defined()) {
        for (const Call *call : calls_in(rest)) {
            if (call->name == f.name()) {
                return Expr();
            }
        }
    }
    return rest;
}

bool mentions(const Expr &e, const std::vector<ReductionVariable> &rvars) {
    return std::any_of(rvars.begin(), rvars.end(),
                       [&](const ReductionVariable &v) { return uses_variable(e, v.var); });
}

// A sum of what is the same at each point of its domain: a product with the number of points, or with a
// predicate, which a Func's update has to mention to have the domain, in the value.
void count_points(Contribution &c) {
    if (c.rvars.empty() || mentions(c.value, c.rvars)) {
        return;
    }
    if (!c.predicate.empty()) {
        Expr all = c.predicate[0];
        for (size_t k = 1; k < c.predicate.size(); k++) {
            all = all && c.predicate[k];
        }
        c.value = select(all, c.value, make_zero(c.value.type()));
        c.predicate.clear();
        return;
    }
    Expr count = 1;
    for (const ReductionVariable &v : c.rvars) {
        count = count * max(v.extent, 0);
    }
    c.value = c.value * cast(c.value.type(), simplify_index(count));
    c.rvars.clear();
}

std::vector<Expr> own_variables(const std::vector<std::string> &vars) {
    std::vector<Expr> args;
    for (const std::string &v : vars) {
        args.push_back(Var(v));
    }
    return args;
}

}  // namespace

Expr tidy_expr(const Expr &e, const VariableBounds &bounds, const Resolve &resolve) {
    return Prune(bounds).mutate(Follow(resolve).expand(Prune(bounds).mutate(e), bounds));
}

Contribution tidy(const Func &raw, const std::vector<std::string> &vars, const SymbolicRegion &target,
                  const Resolve &resolve) {
    const Function f = raw.function();
    std::map<std::string, Expr> rename;
    for (size_t d = 0; d < vars.size(); d++) {
        rename[f.args()[d]] = Var(vars[d]);
    }
    VariableBounds bounds;
    add_variables(bounds, vars, target);
    Contribution result;
    result.vars = vars;

    const std::vector<StageBody> bodies = stage_bodies(f);
    Expr value = bodies.size() == 1 ? bodies[0].value : Expr();
    const StageBody &body = bodies.back();
    std::optional<OneElement> one;
    if (bodies.size() == 2 && is_const_zero(bodies[0].value)) {
        std::vector<Expr> where;
        for (const Expr &arg : body.args) {
            where.push_back(replace_variables(arg, rename));
        }
        one = at_one_element(vars, where, body.rvars);
        value = one ? added_to_self(body, f) : Expr();
    }
    if (!value.defined()) {
        Follow(resolve).resolve_in_place(f);
        result.value = raw(own_variables(vars));
        return result;
    }
    for (const ReductionVariable &v : body.rvars) {
        const Expr min = replace_variables(v.min, rename), extent = replace_variables(v.extent, rename);
        result.rvars.push_back({v.var, simplify_index(min), simplify_index(extent)});
    }
    add_variables(bounds, result.rvars);
    for (const Expr &condition : body.predicate) {
        const Expr kept = tidy_expr(replace_variables(condition, rename), bounds, resolve);
        if (!is_const_one(kept)) {
            result.predicate.push_back(kept);
        }
    }
    result.value = tidy_expr(replace_variables(value, rename), bounds, resolve);
    count_points(result);
    return one && one->others.size() < vars.size() ? total_at(raw.name() + "_total", vars, *one, result)
                                                   : result;
}

std::optional<OneElement> at_one_element(const std::vector<std::string> &vars, const std::vector<Expr> &where,
                                         const std::vector<ReductionVariable> &rvars) {
    OneElement one{{}, const_true()};
    for (size_t d = 0; d < vars.size(); d++) {
        const Variable *own = where[d].as<Variable>();
        if (own && own->name == vars[d]) {
            one.others.push_back(vars[d]);
            continue;
        }
        for (const ReductionVariable &r : rvars) {
            if (uses_variable(where[d], r.var)) {
                return std::nullopt;
            }
        }
        const Expr here = Var(vars[d]) == where[d];
        one.condition = is_const_one(one.condition) ? here : one.condition && here;
    }
    return one;
}

Contribution total_at(const std::string &name, const std::vector<std::string> &vars, const OneElement &one,
                      const Contribution &sum) {
    const Func total = define_func(name, {one.others, sum.value, sum.rvars, sum.predicate});
    return {
        vars, select(one.condition, total(own_variables(one.others)), make_zero(sum.value.type())), {}, {}};
}

Func define_func(const std::string &name, const Contribution &definition) {
    Func f(name);
    const std::vector<Var> vars(definition.vars.begin(), definition.vars.end());
    const Expr value = with_likely_insides(definition.value);
    if (definition.rvars.empty()) {
        f(vars) = value;
        return f;
    }
    if (const Sub *negated = value.as<Sub>(); negated && is_const_zero(negated->a)) {
        // The sign is the sum's: a sum of differences from itself is none that Halide knows how to divide
        // among lanes and threads.
        const Func sum = define_func(name + "_negated",
                                     {definition.vars, negated->b, definition.rvars, definition.predicate});
        f(vars) = -sum(vars);
        return f;
    }
    std::vector<ReductionVariable> rvars;
    std::map<std::string, Expr> rename;
    for (const ReductionVariable &v : definition.rvars) {
        rvars.push_back({unique_name("r"), v.min, v.extent});
    }
    ReductionDomain domain(rvars);
    for (size_t v = 0; v < rvars.size(); v++) {
        rename[definition.rvars[v].var] = Variable::make(Int(32), rvars[v].var, domain);
    }
    for (const Expr &condition : definition.predicate) {
        domain.where(replace_variables(condition, rename));
    }
    f(vars) = make_zero(value.type());
    f(vars) += replace_variables(value, rename);
    return f;
}

}  // namespace eutectic
