#pragma once

#include <functional>

#include "Halide.h"

#include "graph/graph.h"

namespace eutectic {

/** The floating-point operations that the value of `e` may come out of, through selects and conversions; empty when it comes out of a load, of a
 *  comparison of sizes (min, max) or of anything else that a compiler does not rearrange. */
Arithmetic result_of(const Halide::Expr &e);

/** What happens to one load in an expression. */
struct LoadUse {
    Arithmetic into;         ///< operations that the value goes into directly
    bool forwarded = false;  ///< the value itself is (or may be, through a select) the value of the expression
};

/** Calls `visit` for every load of a Func in the value of `e`, once for each use. Loads in indices and conditions are not visited: their values go into
 *  no arithmetic of the result. */
void for_each_use(const Halide::Expr &e, const std::function<void(const Halide::Internal::Call *, const LoadUse &)> &visit);

}  // namespace eutectic
