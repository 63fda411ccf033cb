#pragma once

#include "Halide.h"

namespace eutectic::bench {

/// Frames of a burst merged into the first: each is aligned tile by tile, from the coarsest level of a
/// pyramid to the finest, and adds to a tile as much as it is like the first one there.
Halide::Pipeline burst_merge();

}  // namespace eutectic::bench
