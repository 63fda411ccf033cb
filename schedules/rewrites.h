#pragma once

#include "Halide.h"

namespace eutectic {

/** The run-time extent of dimension `dim` of the buffer that `input` wraps (the Func that a generator's Input<Buffer<>> or an ImageParam is
 *  called through). Throws UserError when `input` wraps no buffer. Printed schedules call it too. */
Halide::Expr input_extent(const Halide::Func &input, int dim);

}  // namespace eutectic
