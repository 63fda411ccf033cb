#pragma once

// Expressions as propagate_adjoints should see them: the same values, and the derivatives that this project
// documents.

#include <Halide.h>

#include <functional>

namespace eutectic {

/// Rewrites e, whose loads are leaves, where Halide's own derivative is wrong at an edge or slow:
///     max(a, b), min(a, b)  a tie goes to the first operand; Halide's derivative counts it for both (against
///     a constant, to the other) abs(x)                0 at 0, where Halide's is -1 pow(x, y) d/dx = y pow(x,
///     y - 1), 0 where y = 0; d/dy = pow(x, y) log(x), 0 where x = 0 and y >= 0; Halide's are NaN
///                           there
///     tanh(x)               through exp, which vectorizes, instead of 1 / cosh^2
/// sqrt keeps its limit: infinite at 0. `frozen` gives an expression with every leaf replaced by its value,
/// which has no derivative.
Halide::Expr derivable(const Halide::Expr &e,
                       const std::function<Halide::Expr(const Halide::Expr &)> &frozen);

}  // namespace eutectic
