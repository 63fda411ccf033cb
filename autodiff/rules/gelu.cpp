// y = x s,   s = 1 / (1 + exp(q)),   q a function of x alone   ->   dx = dy (s - x s (1 - s) q'(x))
//
// This is gelu through exp (q = -2 sqrt(2/pi) (x + 0.044715 x^3)), and also swish (q = -x). Halide's tanh in
// x * 0.5 * (1 + tanh(u)) is read as q = -2u. Written so, no term exceeds x, where the quotient rule squares
// the exponential. x is kept; s is one exp and one division in the backward.

#include "autodiff/expr_tools.h"
#include "autodiff/leaf.h"
#include "autodiff/rules/match.h"
#include "autodiff/rules/rule_list.h"

using namespace Halide;
using namespace Halide::Internal;

namespace eutectic {

namespace {

struct Gated {
    Expr x, q;
};

std::optional<Gated> match_exp(const Expr &e) {
    const auto exponent = [](const Expr &sum) {
        const Expr other = without_constant_term(sum, 1);
        return other.defined() ? argument_of(other, "exp") : Expr();
    };
    if (const Div *div = e.as<Div>()) {
        const Expr q = exponent(div->b);
        if (q.defined() && !constant(div->a)) {
            return Gated{div->a, q};
        }
    }
    if (const Mul *mul = e.as<Mul>()) {  // x * (1 / (1 + exp(q)))
        for (const auto &[x, gate] : {std::pair(mul->a, mul->b), std::pair(mul->b, mul->a)}) {
            const Div *div = gate.as<Div>();
            const Expr q = div && is_constant(div->a, 1) ? exponent(div->b) : Expr();
            if (q.defined()) {
                return Gated{x, q};
            }
        }
    }
    return std::nullopt;
}

std::optional<Gated> match_tanh(const Expr &e) {
    double scale = 1;
    Expr x, u;
    for (const Expr &factor : factors_of(e)) {
        const Expr other = without_constant_term(factor, 1);
        const Expr argument = other.defined() ? argument_of(other, "tanh") : Expr();
        if (const auto c = constant(factor)) {
            scale *= *c;
        } else if (argument.defined() && !u.defined()) {
            u = argument;
        } else if (!x.defined()) {
            x = factor;
        } else {
            return std::nullopt;
        }
    }
    if (!x.defined() || !u.defined() || scale != 0.5) {
        return std::nullopt;
    }
    return Gated{x, u * make_const(u.type(), -2)};
}

// q' where q is an expression of the variable t alone.
Expr derivative(const Expr &q, const std::string &t) {
    const Func leaf = make_leaf("x", {"v"}, q.type());
    const Func adjoint = make_leaf("one", {"v"}, q.type());
    Func segment("gate");
    segment(Var("v")) = replace_variables(q, {{t, leaf(Var("v"))}});
    const Derivative d = propagate_adjoints(segment, adjoint, {{0, 0}});
    if (!d(leaf).defined()) {
        return make_zero(q.type());
    }
    const Resolve resolve = [&](const Call *call, const VariableBounds &) -> Expr {
        if (call->name == leaf.name()) {
            return Variable::make(q.type(), t);
        }
        return call->name == adjoint.name() ? make_one(q.type()) : Expr();
    };
    return tidy(d(leaf), {"v"}, {Interval(0, 0)}, resolve).value;
}

}  // namespace

bool gelu_rule(AdjointSite &site) {
    const Function &f = site.func();
    if (!is_pure(f)) {
        return false;
    }
    const Expr body = stage_bodies(f)[0].value;
    auto found = match_exp(body);
    if (!found) {
        found = match_tanh(body);
    }
    if (!found) {
        return false;
    }
    const Type type = f.output_types()[0];
    const std::string t = unique_name("gate_t");
    const Expr q = graph_substitute(found->x, Variable::make(type, t), found->q);
    if (!uses_variable(q, t) || !calls_in(q).empty()) {
        return false;
    }
    const std::vector<Expr> args = pure_args(f);
    const Expr x = site.values_in(found->x);
    const auto at_x = [&](const Expr &e) { return replace_variables(e, {{t, x}}); };
    const Expr one = make_one(type), s = one / (one + exp(at_x(q)));
    const Expr slope = s - x * (s * (one - s)) * at_x(derivative(q, t));
    site.chain(f.args(), site.region(), found->x, site.adjoint(args) * slope);
    return true;
}

}  // namespace eutectic
