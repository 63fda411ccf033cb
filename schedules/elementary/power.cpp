#include <limits>

#include "schedules/elementary/arithmetic.h"
#include "schedules/elementary/coefficients.h"
#include "schedules/elementary/elementary.h"

namespace eutectic::elementary {

using namespace Halide;

namespace {

/** A number as the sum of two floats: the exponent y log2(x) needs eight bits more than one holds, since it
 * is up to 2^7 and what is lost of it is lost of the result's fraction. */
struct Sum {
    Expr high, low;
};

/** The first 12 bits of x: a product of two such is exact. */
Expr head(const Expr &x) {
    return reinterpret<float>(reinterpret<int>(x) & static_cast<int>(0xfffff000));
}

/** log2(x) of a positive float, to some 31 bits; `high` is a head. */
Sum log2_of(const Expr &x) {
    const Split parts = split(x, 0.8660254);  // sqrt(3) / 2: m is within sqrt(3/2) times 1 or 3/2
    const Expr &m = parts.m, zero = like(x, 0);
    const Expr near_one = m < like(x, 1.2247449), centre = select(near_one, like(x, 1), like(x, 1.5));
    const Expr f = strict_difference(m, centre), sum = strict_sum(m, centre);
    // s = f / (m + centre), and what that is off by: log(m / centre) = log((1 + s) / (1 - s)).
    const Expr inverse = like(x, 1) / sum, s_head = head(f * inverse), sum_head = head(sum);
    const Expr sum_rest = strict_difference(m, strict_difference(sum_head, centre));
    const Expr remainder = strict_difference(strict_difference(f, strict_product(s_head, sum_head)),
                                             strict_product(s_head, sum_rest));
    const Expr s_rest = strict_product(remainder, inverse), s = strict_sum(s_head, s_rest), z = s * s;
    // log(m / centre) = 2 s + s^3 R(s^2); the second part is 0.0034 of the first and less.
    const Expr rest = strict_sum(s_rest * like(x, 2), s * z * polynomial(coefficients::log_rest_halved, z));
    const Expr twice = s_head * like(x, 2);
    const Expr first = strict_product(twice, like(x, coefficients::log2_e_high));
    const Expr second = twice * like(x, coefficients::log2_e_low) +
                        rest * like(x, coefficients::log2_e_high + coefficients::log2_e_low) +
                        select(near_one, zero, like(x, coefficients::log2_three_halves_low));
    const Expr base = strict_sum(cast<float>(parts.k),
                                 select(near_one, zero, like(x, coefficients::log2_three_halves_high)));
    const Expr whole = strict_sum(base, first);
    const Expr lost = strict_difference(first, strict_difference(whole, base));
    const Expr low = strict_sum(lost, second), high = head(strict_sum(whole, low));
    return {high, strict_difference(low, strict_difference(high, whole))};
}

/** 2^(e.high + e.low): 0 far below, infinite far above. */
Expr exp2_of(const Sum &e) {
    // Beyond the exponents of all floats, subnormal ones and rounding included.
    const Expr n = round(within(strict_sum(e.high, e.low), -160, 160));
    const Expr r = within(strict_sum(strict_difference(e.high, n), e.low), -1, 1);
    const Expr fraction = strict_sum(like(r, 1), r * polynomial(coefficients::exp2_rest, r));
    return scaled(fraction, cast<int>(n));
}

}  // namespace

Expr pow(const Expr &x, const Expr &y) {
    const double infinity = std::numeric_limits<double>::infinity();
    // Zero gets the logarithm of a tiny number, infinity a large one's: what they are, the cases below
    // decide.
    const Sum logarithm = log2_of(abs(x));
    // The least logarithm but 0 is 2^-24: such a y is as good as an infinite one, and no product overflows.
    const Expr bounded = within(y, -0x1p35, 0x1p35), y_head = head(bounded);
    const Expr y_rest = strict_difference(bounded, y_head);
    const Sum exponent{strict_product(y_head, logarithm.high),
                       strict_sum(y_rest * logarithm.high, bounded * logarithm.low)};
    const Expr power = exp2_of(exponent);

    const Expr zero = like(x, 0), one = like(x, 1), infinite = like(x, infinity), size = abs(x);
    const Expr whole = round(y) == y, half = y * like(y, 0.5), odd = whole && round(half) != half;
    // 0^y and inf^y are 0 or infinite.
    const Expr extreme = select((x == zero) == (y > zero), zero, infinite);
    const Expr nan = like(x, std::numeric_limits<double>::quiet_NaN());
    const Expr of_negative = select(x < zero && !whole, nan, power);
    const Expr of_size = select(size == infinite || x == zero, extreme, of_negative);
    const Expr result = with_sign_of(select(odd, x, one), of_size);
    const Expr always_one = y == zero || x == one || (x == -one && whole && !odd);  // the last: infinite y
    return select(always_one, one, result);
}

}  // namespace eutectic::elementary
