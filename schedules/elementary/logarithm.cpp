#include <limits>

#include "schedules/elementary/arithmetic.h"
#include "schedules/elementary/coefficients.h"
#include "schedules/elementary/elementary.h"

namespace eutectic::elementary {

using namespace Halide;

namespace {

/** k log(2) + log(1 + f) + correction, of 1 + f between sqrt(1/2) and sqrt(2). With s = f / (2 + f), log(1 +
 * f) = 2 s + s^3 R(s^2), and 2 s = f - s f, so that f itself is what is rounded last. The same arrangement as
 * in Sun's fdlibm (e_log.c): f - (f^2 / 2 - s (f^2 / 2 + R)). */
Expr log_of(const Expr &f, const Expr &k, const Expr &correction) {
    const bool wide = f.type().bits() == 64;
    const Expr s = f / (like(f, 2) + f), z = s * s;
    const Expr rest =
        z * (wide ? polynomial(coefficients::log_rest_double, z) : polynomial(coefficients::log_rest, z));
    const Expr n = cast(f.type(), k), half_square = f * f * like(f, 0.5);
    const Ln2 ln2 = ln2_of(f.type());
    const Expr small = s * (half_square + rest) + (n * like(f, ln2.low) + correction);
    const Expr less_than_f = strict_difference(half_square, small);
    return strict_difference(strict_product(n, like(f, ln2.high)), strict_difference(less_than_f, f));
}

Expr infinite(const Expr &x, bool negative) {
    const double infinity = std::numeric_limits<double>::infinity();
    return like(x, negative ? -infinity : infinity);
}

/** `value`, but with what logarithms are at the ends of their domain: of `of`, which is x or 1 + x. */
Expr with_ends(const Expr &of, const Expr &value) {
    const Expr nan = like(of, std::numeric_limits<double>::quiet_NaN());
    const Expr not_negative = select(of < like(of, 0), nan, value);
    // NaN is not below infinity, either.
    return select(of == like(of, 0), infinite(of, true), select(of < infinite(of, false), not_negative, of));
}

}  // namespace

Expr log(const Expr &x) {
    const Split parts = split(x);
    return with_ends(x, log_of(strict_difference(parts.m, like(x, 1)), parts.k, like(x, 0)));
}

Expr log1p(const Expr &x) {
    const Expr u = strict_sum(like(x, 1), x);
    const Split parts = split(u);
    // What u has lost of x, as part of u.
    const Expr larger = max(x, like(x, 1)), smaller = min(x, like(x, 1));
    const Expr lost = strict_difference(smaller, strict_difference(u, larger)) / u;
    const Expr f = select(parts.k == 0, x, strict_difference(parts.m, like(x, 1)));
    const Expr correction = select(parts.k == 0 || u == infinite(x, false), like(x, 0), lost);
    return with_sign_of(x, with_ends(u, log_of(f, parts.k, correction)));
}

}  // namespace eutectic::elementary
