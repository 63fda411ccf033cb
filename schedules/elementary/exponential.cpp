#include "schedules/elementary/arithmetic.h"
#include "schedules/elementary/coefficients.h"
#include "schedules/elementary/elementary.h"

namespace eutectic::elementary {

using namespace Halide;

namespace {

/** e^r - 1 of r within +-1/2. */
Expr expm1_reduced(const Expr &r) {
    const Expr rest = r.type().bits() == 64 ? polynomial(coefficients::exp_rest_double, r)
                                            : polynomial(coefficients::exp_rest, r);
    return strict_sum(r, r * r * rest);
}

}  // namespace

Expr expm1(const Expr &x) {
    const bool wide = x.type().bits() == 64;
    // Below the lower end the result is -1 in all bits, above the upper one it is infinite.
    const Expr argument = within(x, wide ? -40 : -20, wide ? 710 : 89);
    // Up to the ends of the polynomial's interval, nothing of it is lost in 2^k - 1.
    const Reduced reduced = reduce_by_ln2(argument, 0.5);
    // 2^k (e^r - 1) + (2^k - 1), halved, since 2^k itself may be beyond the largest number.
    const Expr half_scale = power_of_two(x.type(), reduced.k - 1);
    const Expr product = strict_product(half_scale, expm1_reduced(reduced.r));
    const Expr half = strict_sum(product, strict_difference(half_scale, like(x, 0.5)));
    return with_sign_of(x, strict_product(half, like(x, 2)));
}

Expr exp(const Expr &x) {
    const Reduced reduced = reduce_by_ln2(within(x, -746, 710));
    return scaled(strict_sum(like(x, 1), expm1_reduced(reduced.r)), reduced.k);
}

Expr tanh(const Expr &x) {
    // With t = e^(-2 |x|) - 1: tanh(|x|) = -t / (2 + t), where nothing cancels. Near 1 the distance from 1 is
    // smaller, and so is its error: 1 - 2 (1 + t) / (2 + t).
    const Expr t = expm1(abs(x) * like(x, -2)), one = like(x, 1);
    const Expr near_one = t < like(x, -0.75);
    const Expr quotient = select(near_one, strict_sum(one, t) * like(x, 2), -t) / (like(x, 2) + t);
    const Expr y = select(near_one, strict_difference(one, quotient), quotient);
    return with_sign_of(x, y);
}

}  // namespace eutectic::elementary
