#pragma once

#include <functional>
#include <optional>

#include "Halide.h"

namespace eutectic {

/** An update that combines f's own point with a term: f(p) = f(p) + e(p, r), or max(f(p), e(p, r)), in either
 * order. */
struct Accumulation {
    Halide::Expr self, term;
};

/** f's only update as a sum, or as a maximum; nothing when it has another form, or when f is not one
 * floating-point value with a pure definition. Lets are substituted. */
std::optional<Accumulation> sum_update(const Halide::Internal::Function &f);
std::optional<Accumulation> maximum_update(const Halide::Internal::Function &f);

/** The same as a sum of integers. */
std::optional<Accumulation> sum_of_integers(const Halide::Internal::Function &f);

/** One factor taken out of a product. */
struct Taken {
    Halide::Expr factor;
    Halide::Expr rest;  ///< the product without it
};

/** Takes the first divisor (or factor) of the product `e` that `wanted` accepts. */
std::optional<Taken> take(const Halide::Expr &e, bool divisors,
                          const std::function<bool(const Halide::Expr &)> &wanted);

}  // namespace eutectic
