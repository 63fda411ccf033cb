#pragma once

#include <optional>

#include "Halide.h"

namespace eutectic {

/** A floating-point sum of quotients, f(j, i) += e(k, i) / s(i) * v(j, k), and what is left of it when f is
 * divided instead. */
struct LateDivisor {
    std::optional<Halide::Internal::Function>
        quotient;            ///< the pure Func e / s; nothing when the update divides itself
    Halide::Expr numerator;  ///< e, over quotient's arguments
    Halide::Expr undivided;  ///< the update's value: f + e * v, over f's arguments and reduction variables
    Halide::Expr moved;      ///< s, over f's arguments
    bool divides = true;     ///< false: a factor, e * s
    bool from_zero = false;  ///< f's initial value is 0

    /** `sum` divided or multiplied by s. */
    Halide::Expr apply(const Halide::Expr &sum) const {
        return divides ? sum / moved : sum * moved;
    }
};

/** The first divisor (or, when there is none, the first factor) in the product that f's only update adds
 * which reads a Func and which no reduction variable changes; it may stand in the update itself or in a pure
 * Func that the product names. With `only`, in the Func of that name alone. Nothing when f has another form:
 * its update must add one product, of f's type throughout, to f's own point. */
std::optional<LateDivisor> late_divisor(const Halide::Internal::Function &f, const std::string &only = "");

}  // namespace eutectic
