#pragma once

#include "Halide.h"

namespace eutectic {

/** Makes Halide give none of the names that occur in `pipeline` to anything new in this process: a Func
 * without a name in the program that wrote a file, and one without a name here, would both be "f0". To be
 * called before anything new is made. Throws UserError when a name counts so high that no program can have
 * come to it. */
void reserve_names(const Halide::Pipeline &pipeline);

}  // namespace eutectic
