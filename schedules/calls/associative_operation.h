#pragma once

#include <functional>
#include <optional>

#include "Halide.h"

namespace eutectic {

/** An associative and commutative operation, its operands, and what leaves the other one as it is. */
struct AssociativeOperation {
    Halide::Expr a, b;
    std::function<Halide::Expr(Halide::Expr, Halide::Expr)> make;
    Halide::Expr neutral;
};

/** `e` as one: +, *, min, max, or &, |, ^ of integers; nothing if it is none. */
std::optional<AssociativeOperation> associative_operation(const Halide::Expr &e);

}  // namespace eutectic
