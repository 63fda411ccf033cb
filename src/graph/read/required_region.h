#pragma once

#include <optional>
#include <vector>

#include "Halide.h"

namespace eutectic {

/** The points of each dimension of `f` that the `outputs` need, in terms of sizes of buffers and of scalar
 * parameters, at any size; nothing where that is not known, or takes too many words. */
std::optional<Halide::Internal::Box> required_region(const std::vector<Halide::Internal::Function> &outputs,
                                                     const Halide::Internal::Function &f);

}  // namespace eutectic
