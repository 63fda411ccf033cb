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

/** Turns the sum c(j, i) += ... e(k, i) / s(i) * v(j, k) ... into one of e * v, and returns c.in(), the Func of c(j, i) / s(i) that everything which reads c gets
 *  from then on: it is inlined unless it is scheduled. What moves is the first divisor in the product that reads a Func and that no reduction variable
 *  changes; when there is none, the first such factor, with a product instead of the quotient. It may stand in c's update or in a pure Func e / s that the
 *  update names; that Func stays as it is, for other readers.
 *
 *  c must not be an output, whose caller gets what c holds: pass Func::rfactor({}) of it. The same algebra, other roundings: where Σ|e * v| neither overflows nor
 *  falls below the normal numbers, and s is finite and not 0, the result differs by the sum's own error, that is by a few ulp of Σ|e * v| / |s|. A sum of large e
 *  may overflow where quotients did not. Where s is 0 both forms are infinite or NaN, but not always the same of the two: a term 0 / 0 is NaN, 0 + e / 0 is
 *  not. Where s is infinite both are 0, or NaN if the terms are not finite. A NaN in s or in a term stays one.
 *
 *  Throws UserError when c has another form or does not start at 0. */
Halide::Func divide_after_reduction(Halide::Func c);

/** The same where the division stands in `quotient` and only c reads that, once: quotient itself loses the division, so that it can be scheduled. */
Halide::Func divide_after_reduction(Halide::Func c, Halide::Func quotient);

}  // namespace eutectic
