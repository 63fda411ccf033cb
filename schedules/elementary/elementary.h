#pragma once

#include "Halide.h"

namespace eutectic::elementary {

// Elementary functions as expressions that CPUs compute in vectors: no call of the C library, no table, no
// branch. Arguments and results are float, or double where it says so.
//
// Error: in units in the last place (ulp) of the correctly rounded result, where that is finite and normal,
// at most, over the samples of tests/numerics/test_elementary.cpp:
//
//     float   expm1 1.4  log1p 0.8  tanh 2.1  sin 1.6  cos 1.6  erf 0.9  pow 1.3  rsqrt 1.5
//     double  expm1 1.1  log1p 0.8  tanh 2.2  exp 1.0  log 0.8           rsqrt 1.5
//
// Results below the smallest normal number may be flushed to 0. Zeros have the signs that C's functions give
// them where the target's arithmetic is strict_float. NaN stays NaN and infinities have the usual values
// where the target's arithmetic is strict_float; without it LLVM may assume that there are none, and what
// holds of them is what it makes of it.
//
// What fast arithmetic must not put together are operations of strict_float(), one by one; the polynomials
// are not, so that they become fused multiply-adds.

/** e^x - 1 of float or double. */
Halide::Expr expm1(const Halide::Expr &x);

/** log(1 + x) of float or double: -inf at -1, NaN below it. */
Halide::Expr log1p(const Halide::Expr &x);

/** e^x of double: 0 below -745.2, inf above 709.8. */
Halide::Expr exp(const Halide::Expr &x);

/** The natural logarithm of double: -inf at 0, NaN below it; right for subnormal numbers. */
Halide::Expr log(const Halide::Expr &x);

/** The hyperbolic tangent of float or double. */
Halide::Expr tanh(const Halide::Expr &x);

/** Of any float, however large: radians. NaN of infinities. Its argument is reduced by 203 bits of 2 / pi. */
Halide::Expr sin(const Halide::Expr &x);
Halide::Expr cos(const Halide::Expr &x);

/** x^y of floats, with the special cases of C's pow: x below 0 has powers of integers only (NaN otherwise),
 * x^0 and 1^y are 1. */
Halide::Expr pow(const Halide::Expr &x, const Halide::Expr &y);

/** The error function of float. Halide's own has an absolute error, not a relative one. */
Halide::Expr erf(const Halide::Expr &x);

/** 1 / sqrt(x) of float or double: inf at 0, 0 at inf. */
Halide::Expr rsqrt(const Halide::Expr &x);

}  // namespace eutectic::elementary
