#pragma once

#include <optional>

#include "Halide.h"

namespace eutectic {

/** The first floating-point divisor in the definition of the pure, single-valued `f` that is no constant and
 * does not depend on its innermost argument: y(j, i) = e(j, i) / s(i) divides a whole row by one number.
 * Nothing for any other Func. */
std::optional<Halide::Expr> row_divisor(const Halide::Internal::Function &f);

}  // namespace eutectic
