#include <limits>

#include "schedules/elementary/arithmetic.h"
#include "schedules/elementary/coefficients.h"
#include "schedules/elementary/elementary.h"

namespace eutectic::elementary {

using namespace Halide;

namespace {

/** log(x) of a positive double, to some 40 bits. */
Expr log_short(const Expr &x) {
    const Split parts = split(x);
    const Expr f = strict_difference(parts.m, like(x, 1));
    const Expr s = f / (like(x, 2) + f), z = s * s;
    const Expr log_m = s * (like(x, 2) + z * polynomial(coefficients::log_rest_short, z));
    return cast<double>(parts.k) * like(x, 0.6931471805599453) + log_m;
}

/** e^x to some 30 bits, of |x| below 700. */
Expr exp_short(const Expr &x) {
    const Reduced reduced = reduce_by_ln2(x);
    const Expr &r = reduced.r;
    return (like(x, 1) + (r + r * r * polynomial(coefficients::exp_rest_short, r))) *
           power_of_two(x.type(), reduced.k);
}

}  // namespace

Expr pow(const Expr &x, const Expr &y) {
    const double infinity = std::numeric_limits<double>::infinity();
    // A float is a normal number as a double. Zero gets the smallest double's logarithm, infinity the
    // largest's: far beyond what a float holds, unless y is tiny, and then the cases below decide.
    const Expr size = cast<double>(abs(x));
    const Expr exponent = cast<double>(y) * log_short(size);
    const Expr power = cast<float>(exp_short(within(exponent, -200, 200)));

    const Expr zero = like(x, 0), one = like(x, 1), infinite = like(x, infinity);
    const Expr whole = round(y) == y;
    const Expr half = y * like(y, 0.5);
    const Expr odd = whole && round(half) != half;
    const Expr signed_power = select(x < zero && odd, -power, power);
    const Expr of_negative =
        select(x < zero && !whole, like(x, std::numeric_limits<double>::quiet_NaN()), signed_power);
    // 0^y and inf^y are 0 or infinite, of x's sign where y is odd.
    const Expr vanishes = (x == zero) == (y > zero);
    const Expr extreme = select(vanishes, zero, infinite);
    const Expr at_ends =
        select(abs(x) == infinite || x == zero, select(x < zero && odd, -extreme, extreme), of_negative);
    const Expr always_one = y == zero || x == one || (x == -one && whole && !odd);  // the last: infinite y
    return select(always_one, one, at_ends);
}

}  // namespace eutectic::elementary
