#pragma once

#include "autodiff/rules/rule.h"

namespace eutectic {

/// y = max(x, 0). dx = dy where y > 0, else 0: the gradient at x = 0 is 0. Keeps one bit per element, or
/// nothing when y is at hand.
bool relu_rule(AdjointSite &site);
/// y = tanh(x), Halide's or 1 - 2 / (exp(2x) + 1). dx = dy (1 - y^2), from the output.
bool tanh_rule(AdjointSite &site);
/// y = 1 / (1 + exp(q)). dq = -dy y (1 - y), from the output.
bool sigmoid_rule(AdjointSite &site);
/// y = x s(-q(x)), s(t) = 1 / (1 + exp(-t)): gelu through exp (or Halide's tanh) and swish.
/// dx = dy (s - x s (1 - s) q'(x)) from the saved x.
bool gelu_rule(AdjointSite &site);
/// m(i) = max or min over r of e(r, i). The gradient goes to the first largest or smallest element; keeps its
/// index (int32) per row.
bool max_reduction_rule(AdjointSite &site);
/// loss(i) = log(sum_j exp(z(j, i) - m(i))) + m(i) - z(label(i), i), terms in any order. dz = dloss (exp(z -
/// lse) - [j = label]). Keeps lse(i) = log(sum) + m, one number per row, and z.
bool softmax_xent_rule(AdjointSite &site);
/// y(j, i) = x(j, i) - max x(i) - log(sum_j exp(x - max x)), terms in any order. dx = dy - exp(y) sum_j dy,
/// from the output.
bool log_softmax_rule(AdjointSite &site);
/// y(j, i) = e(j, i) / sum_j e(j, i), e = exp(x - max x). dx = y (dy - sum_j dy y), from the output.
bool softmax_rule(AdjointSite &site);

/// All of the above, in the order in which they are tried.
const RuleList &default_rules();

}  // namespace eutectic
