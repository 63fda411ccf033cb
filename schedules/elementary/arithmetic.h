#pragma once

#include "Halide.h"

namespace eutectic::elementary {

/** A constant of x's type. */
inline Halide::Expr like(const Halide::Expr &x, double value) {
    return Halide::Internal::make_const(x.type(), value);
}

/** coefficients[0] + coefficients[1] x + ..., by Horner's rule: one multiply-add a coefficient. */
template<typename T, int N>
Halide::Expr polynomial(const T (&coefficients)[N], const Halide::Expr &x) {
    Halide::Expr value = like(x, coefficients[N - 1]);
    for (int i = N - 2; i >= 0; i--) {
        value = value * x + like(x, coefficients[i]);
    }
    return value;
}

/** a + b, a - b and a * b as they stand, in fast arithmetic, too: strict_float() of this operation alone,
 * while its operands may become fused multiply-adds. */
Halide::Expr strict_sum(const Halide::Expr &a, const Halide::Expr &b);
Halide::Expr strict_difference(const Halide::Expr &a, const Halide::Expr &b);
Halide::Expr strict_product(const Halide::Expr &a, const Halide::Expr &b);

/** x, but at least `low` and at most `high`; NaN stays NaN. */
Halide::Expr within(const Halide::Expr &x, double low, double high);

/** The size of `value` and the sign of x, zeros and NaN included. */
Halide::Expr with_sign_of(const Halide::Expr &x, const Halide::Expr &value);

/** 2^k as a float of `type` (32 or 64 bits): int32 k within the exponents of its normal numbers. */
Halide::Expr power_of_two(const Halide::Type &type, const Halide::Expr &k);

/** m 2^k, of k within twice those exponents: in two steps, so that results below the smallest normal number
 * are right, too. */
Halide::Expr scaled(const Halide::Expr &m, const Halide::Expr &k);

/** x > 0 as m 2^k. */
struct Split {
    Halide::Expr m;  ///< from `least` to twice that
    Halide::Expr k;  ///< int32
};

/** Of float or double; of subnormal numbers, too. `least` is from 1/2 to 1, to 20 bits. */
Split split(const Halide::Expr &x, double least = 0.70710678);

/** log(2) as a sum whose first part's products with exponents of that type are exact. */
struct Ln2 {
    double high, low;
};
Ln2 ln2_of(const Halide::Type &type);

/** x as k log(2) + r. */
struct Reduced {
    Halide::Expr k;  ///< int32
    Halide::Expr r;  ///< |r| <= log(2) / 2 and a little, or below `whole`
};

/** Of float or double within +-2^10 log(2). Where |x| is below `whole`, k is 0. */
Reduced reduce_by_ln2(const Halide::Expr &x, double whole = 0);

}  // namespace eutectic::elementary
