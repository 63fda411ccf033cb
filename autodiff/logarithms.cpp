#include "autodiff/logarithms.h"

#include "autodiff/factorized.h"
#include "autodiff/rules/match.h"

#include <functional>
#include <numeric>

using namespace Halide;
using namespace Halide::Internal;

namespace eutectic {

namespace {

Expr product(const std::vector<Expr> &factors) {
    return std::accumulate(factors.begin() + 1, factors.end(), factors[0], std::multiplies<Expr>());
}

class Logarithms : public IRGraphMutator {
    using IRGraphMutator::visit;

    Expr visit(const Call *op) override {
        const Expr inside = argument_of(op, "log");
        const Expr stable = inside.defined() ? of(inside) : Expr();
        return stable.defined() ? stable : IRGraphMutator::visit(op);
    }

    static Expr of(const Expr &e) {
        const Factorized q = factorized(e);
        if (q.exponents.empty() && q.exponents_below.empty()) {
            return Expr();
        }
        Expr sum;
        for (const Expr &exponent : q.exponents) {
            sum = sum.defined() ? sum + exponent : exponent;
        }
        for (const Expr &exponent : q.exponents_below) {
            sum = sum.defined() ? sum - exponent : -exponent;
        }
        // exp(t) is positive, and so is what it is multiplied with, wherever there is a logarithm at all.
        if (!q.factors.empty()) {
            const Expr above = product(q.factors);
            sum = sum + log(q.factors_below.empty() ? above : above / product(q.factors_below));
        } else if (!q.factors_below.empty()) {
            sum = sum - log(product(q.factors_below));
        }
        return where_all(q.conditions, sum, -INFINITY);
    }
};

}  // namespace

Expr with_stable_logarithms(const Expr &e) {
    return Logarithms().mutate(e);
}

}  // namespace eutectic
