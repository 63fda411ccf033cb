#pragma once

#include <optional>

#include "Halide.h"

namespace eutectic {

/** A choice between two sources along rows, as a concatenation makes: select(j < end, a(j, i), b(j - end,
 * i)). */
struct TwoSides {
    Halide::Expr choice;       ///< the select, as it stands in the definition once lets are substituted
    Halide::Expr left, right;  ///< what it chooses below `end`, and from there on
    Halide::Expr end;          ///< the same for all points
};

/** The first such choice in the definition of f, a pure Func of one value: along its innermost argument, and
 * between values that both load at that argument. Nothing for any other Func. */
std::optional<TwoSides> two_sides(const Halide::Internal::Function &f);

}  // namespace eutectic
