#pragma once

#include "Halide.h"

namespace eutectic {

/** What `f` returns at its own arguments and does nothing to, or null. */
const Halide::Internal::Call *copied(const Halide::Internal::Function &f);

/** The buffer that `f` merely wraps, as the call that loads it, or null. */
const Halide::Internal::Call *wrapped_buffer(const Halide::Internal::Function &f);

}  // namespace eutectic
