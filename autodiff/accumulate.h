#pragma once

// Gradients that are added to what their buffers hold, as steps over several batches do.

#include "autodiff/differentiate.h"

#include <Halide.h>

#include <vector>

namespace eutectic {

/// Makes each gradient the sum of itself and of what its buffer holds. Returns an input for each, which has
/// to be that buffer. Estimates are those of the gradients. A scheduler is told, by a tag, that no point may
/// be computed twice, as loops do that begin their last turn earlier to have whole vectors.
std::vector<Halide::ImageParam> accumulate(std::vector<NamedOutput> &gradients);

}  // namespace eutectic
