#pragma once

#include "Halide.h"

namespace eutectic {

/** Are integers made of floats somewhere on the way to `output`? Another order of operations may then round a
 * value that lies between two of them to the other one. */
bool rounds_floats(const Halide::Func &output);

}  // namespace eutectic
