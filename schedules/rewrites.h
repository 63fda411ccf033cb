#pragma once

#include <string>

#include "Halide.h"

namespace eutectic {

/** The run-time extent of dimension `dim` of the buffer that `input` wraps (the Func that a generator's Input<Buffer<>> or an ImageParam is
 *  called through). Throws UserError when `input` wraps no buffer. Printed schedules call it too. */
Halide::Expr input_extent(const Halide::Func &input, int dim);

/** The same of its first coordinate. */
Halide::Expr input_min(const Halide::Func &input, int dim);

/** Turns the definition y(j, i) = ... e / s(i) ... of a pure Func into ... e * inv(i) ..., and returns inv(i) = 1 / s(i), to be scheduled. The divisor is the first one that
 *  is no constant and does not depend on y's innermost argument. The product is rounded twice: at most 1.5 ulp from the quotient. Throws UserError when
 *  there is no such divisor. */
Halide::Func multiply_by_reciprocal(Halide::Func y);

/** Calls the loop over argument `dim` of the pure Func `f` `name`, which no other loop of it may be called: as Func::rename() does, but not "old.name". Func::compute_with() compares whole
 *  names, so that loops over differently named arguments can be one only after this. Throws UserError when that loop is split or renamed already. */
void rename_loop(Halide::Func f, int dim, const std::string &name);

}  // namespace eutectic
