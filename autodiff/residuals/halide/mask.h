#pragma once

// One bit an element of a condition.

#include "autodiff/rules/rule.h"

#include <Halide.h>

#include <functional>
#include <string>
#include <vector>

namespace eutectic {

/// A made residual "mask" of the condition over `region`, whose dimensions are called `vars`: bit e % 8 of
/// byte e / 8 along the first dimension, counted from its minimum. The region has at least one dimension.
/// `instead_of` and `read_value` are left empty.
MadeResidual packed_mask(const std::vector<std::string> &vars, const SymbolicRegion &region,
                         const std::function<Halide::Expr(const std::vector<Halide::Expr> &)> &condition);

}  // namespace eutectic
