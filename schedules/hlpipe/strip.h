#pragma once

#include "Halide.h"

namespace eutectic {

/** Takes every directive off the pipeline's Funcs, in() and clone_in() wrappers included, so that all are
 * inlined as if nobody had scheduled them. What says sizes stays: estimates, bound() and bound_extent(); and
 * so does what changed a definition: rfactor(), and the rewrites of this scheduler. A duplicate of work that
 * specialize() made goes. Call it on a pipeline of one's own: one that was loaded, or a deep copy. */
void strip(const Halide::Pipeline &pipeline);

}  // namespace eutectic
