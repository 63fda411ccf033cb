#pragma once

#include <Halide.h>

#include <vector>

namespace eutectic {

/// Writes the softmaxes of a forward, their logarithms and losses over them as the derivative rules know
/// them, in place: finite for any finite logits, and their gradients as well. Values are the same up to
/// rounding, but where exponentials overflow, or a probability is too small for a number.
void write_softmaxes_stably(const std::vector<Halide::Internal::Function> &outputs);

}  // namespace eutectic
