#pragma once

// What a user wants no gradient to pass through.

#include <Halide.h>

namespace eutectic {

/// Lets no gradient pass through func: it counts as a constant. Says nothing about the forward. Returns func.
Halide::Func stop_gradient(Halide::Func func);

/// The value of e, as a constant to every gradient: a call of a Func of its own, of whatever variables are in
/// e. A tie of floor with its argument, a target that the same network computes, and the like. It may not
/// read the Func in whose update definition it stands.
Halide::Expr stop_gradient(const Halide::Expr &e);

bool stops_gradient(const Halide::Internal::Function &f);

}  // namespace eutectic
