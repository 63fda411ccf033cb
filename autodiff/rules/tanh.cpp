// y = tanh(x)   ->   dx = dy (1 - y^2)
//
// Matches Halide's tanh(x) and 1 - 2 / (exp(t) + 1) with t = 2x. A clamp of t to constants at least 36 away
// from 0 is looked through: there 1 - y^2 < 1e-15, so that the clamp's own derivative, 0, makes no
// difference, and x is not needed.

#include "autodiff/expr_tools.h"
#include "autodiff/rules/match.h"
#include "autodiff/rules/rule_list.h"

using namespace Halide;
using namespace Halide::Internal;

namespace eutectic {

namespace {

// tanh(factor * x).
struct Tanh {
    Expr x;
    double factor = 1;
};

// t with e = exp(t) + 1, in either order.
Expr exponent_of_sum_with_one(const Expr &e) {
    const Expr other = without_constant_term(e, 1);
    return other.defined() ? argument_of(other, "exp") : Expr();
}

std::optional<Tanh> match(const Expr &e) {
    const Expr direct = argument_of(e, "tanh");
    if (direct.defined()) {
        return Tanh{direct, 1};
    }
    const Sub *sub = e.as<Sub>();
    const Div *div = sub && is_constant(sub->a, 1) ? sub->b.as<Div>() : nullptr;
    if (!div || !is_constant(div->a, 2)) {
        return std::nullopt;
    }
    Expr t = exponent_of_sum_with_one(div->b);
    if (!t.defined()) {
        return std::nullopt;
    }
    const auto bounded = clamped(t);
    if (bounded && bounded->low <= -36 && bounded->high >= 36) {
        t = bounded->x;
    }
    if (const Mul *mul = t.as<Mul>()) {
        if (const auto c = constant(mul->b)) {
            return Tanh{mul->a, *c / 2};
        }
        if (const auto c = constant(mul->a)) {
            return Tanh{mul->b, *c / 2};
        }
    }
    return Tanh{t, 0.5};
}

}  // namespace

bool tanh_rule(AdjointSite &site) {
    const Function &f = site.func();
    if (!is_pure(f)) {
        return false;
    }
    const auto found = match(stage_bodies(f)[0].value);
    if (!found) {
        return false;
    }
    const Type type = f.output_types()[0];
    const std::vector<Expr> args = pure_args(f);
    const Expr y = site.value(f, args);
    Expr adjoint = site.adjoint(args) * (make_one(type) - y * y);
    if (found->factor != 1) {
        adjoint *= make_const(type, found->factor);
    }
    site.chain(f.args(), site.region(), found->x, adjoint);
    return true;
}

}  // namespace eutectic
