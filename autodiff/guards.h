#pragma once

// Loads under a guard. A boundary condition or a concatenation is a select between loads whose indices are
// clamped, so that they stay inside where they do not count:
//     select(i < 0 || i >= n, 0, clamped(i)),   clamped(i) = x(max(min(i, n - 1), 0))
// Where the load counts the clamp does nothing, and without it the load's adjoint is a gather, not a scatter:
//     select(i < 0 || i >= n, 0, x(i))

#include <Halide.h>

namespace eutectic {

/// e with the clamps gone that the conditions of the selects around them make needless, after Funcs that are
/// nothing but a load at such indices have been written out under a guard. It is for differentiation only:
/// where the guard fails, it may load beyond the edge.
Halide::Expr without_needless_clamps(const Halide::Expr &e);

/// e with `likely` where a select between something and zero asks about nothing but indices, as the edge of a
/// region does:
///     select(0 <= i && i < n, d(clamp(i, 0, n - 1)), 0)   ->   select(0 <= i && i < n, likely(d(clamp(i, 0,
///     n - 1))), 0)
/// Halide then divides loops where the answer changes, and asks at the ends only.
Halide::Expr with_likely_insides(const Halide::Expr &e);

/// Takes the edge of a load out of the expression of a sum, into a Func of its own, which may be stored or
/// not:
///     select(0 <= i - r && i - r < n, d(clamp(i - r, 0, n - 1)), 0)   ->   padded(i - r),
///     padded(v) = select(0 <= v && v < n, likely(d(clamp(v, 0, n - 1))), 0)
/// Only indices that are no plain variable are worth it: of those, loops can be divided where the answer
/// changes.
Halide::Expr with_padded_loads(const Halide::Expr &e);

}  // namespace eutectic
