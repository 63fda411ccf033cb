#pragma once

// Index expressions made of minima, maxima, sums and constant multiples, in the one shortest form that such
// an expression has: a maximum of minima of linear terms (or the reverse), without any term that another
// decides. Halide's simplifier rewrites locally; regions that pass through the guards of a chain of layers
// then double at every layer, though what they say is the same.

#include <Halide.h>

namespace eutectic {

/// The same value with fewer minima and maxima, if there is such a form; otherwise e itself. Extents of
/// buffers are taken to be at least 1.
Halide::Expr with_fewest_extremes(const Halide::Expr &e);

/// Is a <= b for all values of their variables, extents being at least 1? False when it is not, or when a
/// form would take too many terms.
bool never_above(const Halide::Expr &a, const Halide::Expr &b);

}  // namespace eutectic
