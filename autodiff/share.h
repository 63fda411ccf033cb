#pragma once

// What the forward and the backward of one pipeline both compute of a math function, once.

#include "autodiff/differentiate.h"

#include <vector>

namespace eutectic {

/// Makes the largest common expression of exponentials and their like a Func shared_<function>, wherever a
/// Func that only `gradients` need has it, and another Func too: `y(i) = x(i) / (1 + e)` and `dx(i) = dy(i) /
/// (1 + e) ...` with e = exp(-x(i)) read shared_exp(i) = 1 + exp(-x(i)). What is 1 + exp(a) and divides
/// wherever it is becomes 1 / (1 + exp(a)): one division in all, and y = x (1 / (1 + e)). Where that lives,
/// or whether it is written out again, is the planner's choice. An exponential over a sum, exp(a - log(s)),
/// is read as exp(a) (1 / s) where the forward of `outputs` has exp(a). Expressions are the same up to the
/// names of their variables and what Halide's simplifier finds equal.
void share_functions(const std::vector<NamedOutput> &outputs, const std::vector<NamedOutput> &gradients);

}  // namespace eutectic
