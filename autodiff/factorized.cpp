#include "autodiff/factorized.h"

#include "autodiff/expr_tools.h"
#include "autodiff/rules/match.h"
#include "autodiff/stop_gradient.h"

using namespace Halide;
using namespace Halide::Internal;

namespace eutectic {

namespace {

void add_factors(const Expr &e, bool below, Factorized &q) {
    const Expr body = written_out(e);
    if (const Mul *mul = body.as<Mul>()) {
        add_factors(mul->a, below, q);
        add_factors(mul->b, below, q);
    } else if (const Div *div = body.as<Div>()) {
        add_factors(div->a, below, q);
        add_factors(div->b, !below, q);
    } else if (const Expr exponent = argument_of(body, "exp"); exponent.defined()) {
        (below ? q.exponents_below : q.exponents).push_back(exponent);
    } else if (const Select *select = body.as<Select>();
               select && !below && is_const_zero(select->false_value)) {
        q.conditions.push_back(select->condition);
        add_factors(select->true_value, below, q);
    } else if (select && !below && is_const_zero(select->true_value)) {
        q.conditions.push_back(!select->condition);
        add_factors(select->false_value, below, q);
    } else if (!is_const_one(body)) {
        (below ? q.factors_below : q.factors).push_back(e);
    }
}

}  // namespace

Expr written_out(Expr e) {
    for (const Call *call = e.as<Call>(); call && call->call_type == Call::Halide; call = e.as<Call>()) {
        const Function f = callee(call);
        if (!is_pure(f) || f.has_extern_definition() || input_of(f).defined() || stops_gradient(f)) {
            break;
        }
        e = value_at(f, call->args);
    }
    return e;
}

Factorized factorized(const Expr &e) {
    Factorized q;
    if (e.type().is_float()) {
        add_factors(e, false, q);
    }
    return q;
}

Expr where_all(const std::vector<Expr> &conditions, const Expr &e, double elsewhere) {
    Expr result = e;
    for (const Expr &condition : conditions) {
        result = select(condition, result, make_const(e.type(), elsewhere));
    }
    return result;
}

}  // namespace eutectic
