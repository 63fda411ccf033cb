// y = 1 / (1 + exp(q))   ->   dq = -dy y (1 - y)
//
// The logistic function, with q = -x in any way of writing it. From its output: the quotient rule would
// square the exponential, and is NaN in float32 beyond |q| = 44 already.

#include "autodiff/expr_tools.h"
#include "autodiff/rules/match.h"
#include "autodiff/rules/rule_list.h"

using namespace Halide;
using namespace Halide::Internal;

namespace eutectic {

bool sigmoid_rule(AdjointSite &site) {
    const Function &f = site.func();
    if (!is_pure(f)) {
        return false;
    }
    const Expr body = stage_bodies(f)[0].value;
    const Div *div = body.as<Div>();
    const Expr exponential = div && is_constant(div->a, 1) ? without_constant_term(div->b, 1) : Expr();
    const Expr q = exponential.defined() ? argument_of(exponential, "exp") : Expr();
    if (!q.defined()) {
        return false;
    }
    const std::vector<Expr> args = pure_args(f);
    const Expr y = site.value(f, args);
    site.chain(f.args(), site.region(), q, site.adjoint(args) * (y * (y - make_one(y.type()))));
    return true;
}

}  // namespace eutectic
