#include "schedules/elementary/arithmetic.h"
#include "schedules/elementary/coefficients.h"
#include "schedules/elementary/elementary.h"

namespace eutectic::elementary {

using namespace Halide;

Expr erf(const Expr &x) {
    const Expr size = abs(x), z = size * size;
    const Expr near = strict_sum(size, size * polynomial(coefficients::erf_rest, z));
    // From 4 on, 1 - erf(x) is below 2^-25.
    const Expr within = select(size > like(x, 4), like(x, 4), size);
    const Expr far = -expm1(polynomial(coefficients::log_erfc, within));
    return with_sign_of(x, select(size <= like(x, 1), near, far));
}

Expr rsqrt(const Expr &x) {
    // Two roundings. Halide's fast_inverse_sqrt takes half the time on AMD Zen 3 (0.22 ns of a float in the
    // first cache, this 0.46), but is infinite for subnormal numbers.
    return like(x, 1) / sqrt(x);
}

}  // namespace eutectic::elementary
