#pragma once

#include <optional>
#include <string>
#include <vector>

#include "Halide.h"

namespace eutectic {

/** What an index of a factor is: `scale` steps of an argument of the product, `step` steps of a reduction
 * variable, and an offset. A window has both, or strides. */
struct FactorIndex {
    int dim = -1;  ///< argument of the product; -1: none
    int sum = -1;  ///< place in MatrixProduct::sums; -1: none
    int scale = 1, step = 1;
    Halide::Expr offset = 0;

    bool plain() const;
};

/** One factor of a product: a load of a Func. A Func that only has another one's points in other places, such
 * as its transpose, is looked through: a library reads any layout. */
struct Factor {
    Halide::Expr value;  ///< owns `load`
    const Halide::Internal::Call *load = nullptr;
    std::vector<FactorIndex> indices;

    bool has_dim(int dim) const;
    bool has_sum(int sum) const;
    /** Has one of the matrices' dims neighbours side by side? Otherwise each call would copy the operand. */
    bool has_rows(const Factor &other) const;
};

/** c(...) = start; c(...) += scale(...) * a(...) * b(...), where each argument of c is one of a, of b, or of
 * both: a product of two matrices, a batch of them, or a convolution, in which a has windows. */
struct MatrixProduct {
    Factor a, b;
    /** Of a product one; of a convolution that of channels, which lie side by side in both, and those of
     * windows (1 and 2), of one point where there is no such variable. */
    std::vector<Halide::Internal::ReductionVariable> sums;
    Halide::Expr start;  ///< in c's arguments
    Halide::Expr scale;  ///< likewise: what no term has of its own, so that the sum is multiplied by it
    bool from_zero = false;

    bool convolution() const {
        return sums.size() > 1;
    }
};

/** `f` as a product; nothing where it is none, or not one of floats or doubles throughout. */
std::optional<MatrixProduct> matrix_product(const Halide::Internal::Function &f);

/** Dimensions that a call of src/library can name: of a product, and of a convolution. */
constexpr int most_product_dims = 7, most_convolution_dims = 4;

}  // namespace eutectic
