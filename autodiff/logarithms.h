#pragma once

#include <Halide.h>

namespace eutectic {

/// e, with the logarithm of exp(t) / s as t - log(s), and that of exp(t) as t, seen through pure Funcs:
/// -log(p(label)) of a softmax p. The value is the same, but where exp(t) is too small for a number: there,
/// the derivative of the logarithm by p, 1 / p, is none.
Halide::Expr with_stable_logarithms(const Halide::Expr &e);

}  // namespace eutectic
