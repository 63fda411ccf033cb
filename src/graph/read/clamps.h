#pragma once

#include <string>
#include <vector>

#include "Halide.h"

namespace eutectic {

/** Stage::simplified has it where a definition was read as if Halide knew which side of its clamps is usual.
 */
inline constexpr const char *bare_clamps_rewrite = "clamps";

/** Does `e` load anything at an index that moves with one of `vars` and that a minimum or a maximum keeps in
 * a range, without a word (likely()) on which points lie inside? Halide cuts loops where such a word is:
 * points inside are then loaded in whole vectors, and all others one by one. BoundaryConditions give it,
 * clamp(x, 0, width - 1) does not. */
bool has_bare_clamps(const Halide::Expr &e, const std::vector<std::string> &vars);

/** `e` with that word. */
Halide::Expr with_likely_clamps(const Halide::Expr &e, const std::vector<std::string> &vars);

}  // namespace eutectic
