#pragma once

#include <optional>
#include <string>
#include <vector>

#include "Halide.h"

namespace eutectic {

/** One factor of a product: a load of a Func at plain variables. */
struct Factor {
    const Halide::Internal::Call *load = nullptr;
    std::vector<int> dims;  ///< what each of its dimensions goes along: an argument of the product, or -1 for
                            ///< the reduction variable
};

/** c(...) = start; c(...) += a(...) * b(...) over one reduction variable, which both have, and each argument
 * of c is one of a, of b, or of both: a product of two matrices, or a batch of them. */
struct MatrixProduct {
    Factor a, b;
    Halide::Internal::ReductionVariable sum;
    Halide::Expr start;  ///< in c's arguments
    bool from_zero = false;
};

/** `f` as a product; nothing where it is none, or not one of floats or doubles throughout. */
std::optional<MatrixProduct> matrix_product(const Halide::Internal::Function &f);

/** A product as src/library computes it: an extern stage. */
struct ProductCall {
    std::string library;
    std::vector<int> a_dims, b_dims;  ///< as Factor::dims
    Halide::Expr sum_extent;
    bool whole = false;  ///< one call computes all of it, with all threads; else each is on a block, with one
};

/** The longest rows of dimensions that such a call can name. */
constexpr int most_product_dims = 7;

/** A Func of the extern stage for `product`, with the arguments of `f`, by `library`; `tasks`: as
 * src/library/product.h says. */
Halide::Func product_by_library(const Halide::Internal::Function &f, const MatrixProduct &product,
                                const std::string &library, int tasks);

/** `f` as such a call; nothing where it is none. */
std::optional<ProductCall> product_call(const Halide::Internal::Function &f);

/** Of `functions`, the one that an extern stage reads as `argument`: that Func, or the first that wraps that
 * buffer; null where there is none. */
const Halide::Internal::Function *operand_of(const Halide::ExternFuncArgument &argument,
                                             const std::vector<Halide::Internal::Function> &functions);

/** The Func that `argument`, a buffer that an extern stage is given, is called through in expressions: it
 * wraps that. Nothing for other arguments. Each call makes another. */
std::optional<Halide::Internal::Function> wrapper_of(const Halide::ExternFuncArgument &argument);

}  // namespace eutectic
