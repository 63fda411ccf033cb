#pragma once

#include "Halide.h"

namespace eutectic {

/** Is the update's left-hand side the pure variables, in order? */
bool writes_own_point(const Halide::Internal::Function &f, const Halide::Internal::Definition &update);

/** Does the update read the Func itself at other coordinates than it writes? */
bool reads_other_points(const Halide::Internal::Function &f, const Halide::Internal::Definition &update);

/** The associative operator of an update that writes its own point, if it has one, as Halide proves it. */
Halide::Internal::AssociativeOp associativity(const Halide::Internal::Function &f,
                                              const Halide::Internal::Definition &update);

/** May the Func's initial value come last as well? If it is the operator's neutral element, or the operator
 * is min or max, which keep their operands as they are whatever comes first. */
bool starts_neutral(const Halide::Internal::Function &f, const Halide::Internal::AssociativeOp &op);

}  // namespace eutectic
