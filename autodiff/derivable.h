#pragma once

// Expressions as propagate_adjoints should see them: the same values, and the derivatives that this project
// documents.

#include "autodiff/rules/rule.h"

#include <Halide.h>

#include <functional>

namespace eutectic {

/// How values are read that have no derivative.
struct Freeze {
    /// An expression with every leaf replaced by its value.
    std::function<Halide::Expr(const Halide::Expr &)> leaves;
    /// A call that stands for such an expression, into which propagate_adjoints does not look.
    std::function<Halide::Expr(const Halide::Expr &)> whole;
};

/// Rewrites e, whose loads are leaves, where Halide's own derivative is wrong at an edge or slow:
///     max(a, b), min(a, b)  a tie goes to the first operand (against a constant, to the other); Halide's
///                           derivative counts it for both
///     abs(x)                0 at 0, where Halide's is -1
///     pow(x, y)             by x: y pow(x, y - 1), 0 where y = 0; by y: pow(x, y) log(x), 0 where x = 0 and
///                           y >= 0; Halide's are NaN there
///     tanh(x)               through exp, which vectorizes, instead of 1 / cosh^2
/// or where it has none:
///     floor(x), ceil(x), round(x), trunc(x), and a float made of an integer or of a condition: 0
///     x % y                 1 by x and -floor(x / y) by y: of x - y floor(x / y)
///     fast_exp, fast_log, fast_pow: those of the functions that they stand for (fast_functions.h)
///     strict_float(e)       that of e, and the values in it stay strict
///     print(e)              that of e, and the backward prints nothing
///     a call that `rules` have slopes for
/// sqrt keeps its limit: infinite at 0.
Halide::Expr derivable(const Halide::Expr &e, const Freeze &freeze, const RuleList &rules);

}  // namespace eutectic
