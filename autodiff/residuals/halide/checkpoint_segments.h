#pragma once

// Checkpoints that a user names, in the residual graph.

#include "autodiff/residuals/halide/build.h"

#include <vector>

namespace eutectic {

/// What a checkpoint is computed from, back to inputs, outputs and other checkpoints, is recomputed; a
/// checkpoint itself is kept. `order`: the forward.
void add_checkpoints(BuiltGraph &built, const std::vector<Halide::Internal::Function> &order);

}  // namespace eutectic
