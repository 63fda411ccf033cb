// y = max(x, 0)   ->   dx = select(y > 0, dy, 0)
//
// The same for select(x > 0, x, 0) and its kin. At x = 0 the gradient is 0 (Halide's own derivative of max(x, 0) is 1 there).
// The predicate is kept as a mask of one bit an element, eight elements along dimension 0 in a byte, lowest bit first; bits beyond
// the last element are 0. When y itself is at hand in the backward, the predicate is y > 0 and no mask is kept.

#include "autodiff/expr_tools.h"
#include "autodiff/leaf.h"
#include "autodiff/rules/match.h"
#include "autodiff/rules/rule_list.h"

using namespace Halide;
using namespace Halide::Internal;

namespace eutectic {

namespace {

// x, for an e that is max(x, 0).
Expr rectified(const Expr &e) {
    if (const Max *op = e.as<Max>()) {
        return is_const_zero(op->b) ? op->a : is_const_zero(op->a) ? op->b
                                                                   : Expr();
    }
    const Select *select = e.as<Select>();
    if (!select) {
        return Expr();
    }
    const auto keeps = [](const Expr &condition, const Expr &x, bool positive) {
        // positive: the condition says x > 0 or x >= 0; otherwise x < 0 or x <= 0.
        const auto sides = [&](const Expr &larger, const Expr &smaller) {
            return positive ? graph_equal(larger, x) && is_const_zero(smaller) : graph_equal(smaller, x) && is_const_zero(larger);
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

// Defines the Func that packs y > 0: byte b holds the elements min + 8b … min + 8b + 7 of dimension 0.
void pack(Func mask, const Function &y, const Interval &innermost) {
    const std::vector<std::string> names = adjoint_vars(y);
    std::vector<Var> vars(names.begin(), names.end());
    vars[0] = Var("byte");
    std::vector<Expr> args(vars.begin(), vars.end());
    Expr packed;
    for (int bit = 0; bit < 8; bit++) {
        const Expr at = innermost.min + 8 * vars[0] + bit;
        args[0] = clamp(at, innermost.min, innermost.max);
        const Expr is_set = Func(y)(args) > make_zero(y.output_types()[0]);
        const Expr value = select(is_set && at <= innermost.max, make_const(UInt(8), 1 << bit), make_zero(UInt(8)));
        packed = packed.defined() ? packed | value : value;
    }
    mask(vars) = packed;
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
    const Interval innermost = site.region()[0];
    MadeResidual mask;
    mask.kind = "mask";
    mask.type = UInt(8);
    mask.region = site.region();
    mask.region[0] = Interval(0, simplify_index((innermost.max - innermost.min) / 8));
    mask.define = [f, innermost](const Func &func) { pack(func, f, innermost); };
    mask.read = [innermost](const auto &tensor, const std::vector<Expr> &args) {
        std::vector<Expr> at = args;
        const Expr element = simplify_index(args[0] - innermost.min);
        at[0] = element / 8;
        const Expr bit = make_one(UInt(8)) << cast(UInt(8), element % 8);
        return (tensor(at) & bit) != make_zero(UInt(8));
    };
    mask.instead_of = f;
    mask.read_value = [](const Expr &y) { return y > make_zero(y.type()); };

    const std::vector<Expr> args = pure_args(f);
    const Expr adjoint = select(site.made(mask, Bool(), args), site.adjoint(args), make_zero(f.output_types()[0]));
    site.chain(f.args(), site.region(), x, adjoint);
    return true;
}

}  // namespace eutectic
