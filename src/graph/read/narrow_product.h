#pragma once

#include <optional>

#include "Halide.h"

namespace eutectic {

/** A factor of 32 bits whose values fit into fewer: an expression of one load, and nothing else that varies.
 */
struct NarrowFactor {
    Halide::Expr value;
    const Halide::Internal::Call *load = nullptr;  ///< its load, part of `value`
    int dim = 0;        ///< the load's dimension whose index is the reduction variable alone
    Halide::Type type;  ///< of 8 bits or of 16 with a sign: it holds all values
};

/** c(...) = start; c(...) += a * b in 32-bit integers, of factors of fewer bits, both of which go along one
 * of the reduction variables by itself: quantized products of matrices, convolutions whose channels are
 * summed up. */
struct NarrowProduct {
    NarrowFactor a, b;
    size_t variable = 0;  ///< which of the update's reduction variables
};

/** `f` as such a sum; nothing where it is none. */
std::optional<NarrowProduct> narrow_product(const Halide::Internal::Function &f);

}  // namespace eutectic
