#pragma once

#include <optional>
#include <string>
#include <vector>

#include "graph/read/product.h"

namespace eutectic {

/** A product as src/library computes it: an extern stage. */
struct ProductCall {
    std::string library;
    std::vector<FactorIndex> a, b;
    std::vector<Halide::Expr> sum_mins, sum_extents;
    bool whole = false;  ///< one call computes all of it, with all threads; else each is on a block, with one
};

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
