// y = max(x, 0)   ->   dx = select(y > 0, dy, 0)
//
// The same for select(x > 0, x, 0) and its kin. At x = 0 the gradient is 0 (Halide's own derivative of max(x,
// 0) is 1 there). The predicate is kept as a mask of one bit an element, eight elements along dimension 0 in
// a byte, lowest bit first; bits beyond the last element are 0. When y itself is at hand in the backward, the
// predicate is y > 0 and no mask is kept.

#include "autodiff/expr_tools.h"
#include "autodiff/leaf.h"
#include "autodiff/residuals/halide/mask.h"
#include "autodiff/rules/match.h"
#include "autodiff/rules/rule_list.h"

using namespace Halide;
using namespace Halide::Internal;

namespace eutectic {

namespace {

// x, for an e that is max(x, 0).
Expr rectified(const Expr &e) {
    if (const Max *op = e.as<Max>()) {
        return is_const_zero(op->b) ? op->a : is_const_zero(op->a) ? op->b : Expr();
    }
    const Select *select = e.as<Select>();
    if (!select) {
        return Expr();
    }
    const auto keeps = [](const Expr &condition, const Expr &x, bool positive) {
        // positive: the condition says x > 0 or x >= 0; otherwise x < 0 or x <= 0.
        const auto sides = [&](const Expr &larger, const Expr &smaller) {
            return positive ? graph_equal(larger, x) && is_const_zero(smaller)
                            : graph_equal(smaller, x) && is_const_zero(larger);
        };
        if (const GT *op = condition.as<GT>())
            return sides(op->a, op->b);
        if (const GE *op = condition.as<GE>())
            return sides(op->a, op->b);
        if (const LT *op = condition.as<LT>())
            return sides(op->b, op->a);
        if (const LE *op = condition.as<LE>())
            return sides(op->b, op->a);
        return false;
    };
    if (is_const_zero(select->false_value) && keeps(select->condition, select->true_value, true)) {
        return select->true_value;
    }
    if (is_const_zero(select->true_value) && keeps(select->condition, select->false_value, false)) {
        return select->false_value;
    }
    return Expr();
}

}  // namespace

bool relu_rule(AdjointSite &site) {
    const Function &f = site.func();
    if (!is_pure(f) || !f.output_types()[0].is_float() || f.dimensions() == 0) {
        return false;
    }
    const Expr x = rectified(stage_bodies(f)[0].value);
    if (!x.defined()) {
        return false;
    }
    MadeResidual mask = packed_mask(adjoint_vars(f), site.region(), [f](const std::vector<Expr> &args) {
        return Func(f)(args) > make_zero(f.output_types()[0]);
    });
    mask.instead_of = f;
    mask.read_value = [](const Expr &y) { return y > make_zero(y.type()); };

    const std::vector<Expr> args = pure_args(f);
    const Expr adjoint =
        select(site.made(mask, Bool(), args), site.adjoint(args), make_zero(f.output_types()[0]));
    site.chain(f.args(), site.region(), x, adjoint);
    return true;
}

}  // namespace eutectic
