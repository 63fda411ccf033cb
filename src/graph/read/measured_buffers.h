#pragma once

#include <vector>

#include "Halide.h"

namespace eutectic {

/** Buffers that the caller passes of which a pipeline reads sizes and no element, in the order of mention: a
 * derivative has the shape of an input, whose values it may not need. Each as a Func that wraps it as Halide
 * wraps those that are read, so that a size can be asked of it; nothing in the pipeline calls it, and each
 * call makes others. */
std::vector<Halide::Internal::Function>
measured_buffers(const std::vector<Halide::Internal::Function> &outputs);

}  // namespace eutectic
