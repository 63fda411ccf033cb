#pragma once

#include <optional>

#include "Halide.h"

namespace eutectic {

/** The value of f(j, i) = x(j, i), f(j, r) = v(j, r - 3) (a slice, assigned) as one expression over f's
 * arguments: select(r's range holds i, v(j, i - 3), x(j, i)). `likely` on v has loops cut where its range
 * ends.
 *
 *  Nothing for other Funcs: f needs a pure definition and one update, of one value each, which does not read
 * f, has no predicate, and writes at coordinates that are f's own argument, a reduction variable or a number
 * for all points, plus a constant; each reduction variable in one of them. Then every point is written at
 * most once.
 *
 *  In the choice that is not made, v's index is kept within r's range, for that range is all that v must
 * have; where the range is empty, v is not read by whoever cuts loops, and bounds ask nothing of it. */
std::optional<Halide::Expr> assigned_region(const Halide::Internal::Function &f);

/** Stage::simplified has it where the definition was read as that expression. */
inline constexpr const char *assigned_region_rewrite = "choice";

}  // namespace eutectic
