#pragma once

// Derivatives of functions by their arguments, for what is differentiated here and not by Halide.

#include "autodiff/rules/rule.h"

#include <Halide.h>

namespace eutectic {

/// Of a math function, of a function that `rules` have slopes for, or of arithmetic under strict_float();
/// null for any other call. A slope is an expression of the call's arguments and value.
CallSlopes slopes_of(const Halide::Internal::Call *call, const RuleList &rules);

/// The same for what propagate_adjoints cannot differentiate, or not at the edges (derivable.h).
CallSlopes own_slopes_of(const Halide::Internal::Call *call, const RuleList &rules);

/// One slope for each argument of `call`, whose value is `value`, without lets. Throws UserError where there
/// are more or fewer.
std::vector<Halide::Expr> slopes_at(const Halide::Internal::Call *call, const CallSlopes &slopes,
                                    const Halide::Expr &value);

/// floor(x) and the like: constant but for steps.
bool is_rounding(const Halide::Internal::Call *call);

/// 1, 0 or -1: the derivative of abs(x), 0 at 0.
Halide::Expr sign_of(const Halide::Expr &x);

}  // namespace eutectic
