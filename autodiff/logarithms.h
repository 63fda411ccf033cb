#pragma once

#include <Halide.h>

namespace eutectic {

/// e, with the logarithm of a product in which there is an exponential, exp(t) a / s, as t + log(a / s), and
/// that of select(c, exp(t), 0) likewise where c holds, seen through pure Funcs: -log(p(label)) of a softmax
/// p. The value is the same, but where exp(t) is too small for a number: there, the derivative of the
/// logarithm by p, 1 / p, is none.
Halide::Expr with_stable_logarithms(const Halide::Expr &e);

}  // namespace eutectic
