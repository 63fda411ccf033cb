#pragma once

// The backward in one pipeline with the forward: nothing is kept between two calls, so every value is read
// where the forward has it.

#include "autodiff/residuals/halide/choose.h"
#include "autodiff/tape.h"

#include <Halide.h>

#include <vector>

namespace eutectic {

/// Rewrites the Funcs that `gradients` are computed from so that they read the Funcs of `order`, the forward,
/// themselves. What a rule would have had kept in a form of its own is written out where it is read if it is
/// one expression of forward values (the logarithm of a sum), otherwise a Func joint_<kind> beside them (an
/// argmax, bits of a mask). Returns that nothing is kept.
ChosenResiduals bind_to_forward(Tape &tape, const std::vector<Halide::Func> &gradients,
                                const std::vector<Halide::Internal::Function> &order);

}  // namespace eutectic
