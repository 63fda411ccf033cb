#pragma once

// Checkpoints that a user names.

#include <Halide.h>

namespace eutectic {

/// Makes func the end of a checkpoint segment: everything between it and the inputs, outputs and checkpoints
/// before it is recomputed in the backward instead of being kept, out of what is kept at these
/// boundaries; func itself is kept if the backward needs it. Says nothing about the forward alone, whose
/// schedule may fuse what is inside. Returns func.
Halide::Func checkpoint(Halide::Func func);

bool is_checkpoint(const Halide::Internal::Function &f);

}  // namespace eutectic
