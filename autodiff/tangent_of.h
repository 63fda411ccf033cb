#pragma once

// Forward mode within an expression.

#include "autodiff/rules/rule.h"

#include <Halide.h>

#include <functional>

namespace eutectic {

/// The tangent of what a load reads; undefined where it is 0.
using TangentOfLoad = std::function<Halide::Expr(const Halide::Internal::Call *)>;

/// The tangent of e as an expression of its loads and of their tangents; undefined where
/// it is 0. Kinks and steps are as in reverse mode (README.md): a tie in max(a, b) goes to a, max(x, 0) has 0
/// at 0, and so has abs(x). What has no derivative has been refused before (supported.h).
Halide::Expr tangent_of(const Halide::Expr &e, const TangentOfLoad &load, const RuleList &rules);

}  // namespace eutectic
