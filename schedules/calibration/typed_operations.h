#pragma once

#include "Halide.h"

#include "machine/measure.h"

namespace eutectic {

/** For each of the operations whose price depends on its type, kernels that do it in registers. */
std::vector<TypedProbe> typed_probes(const Halide::Target &target);

}  // namespace eutectic
