#pragma once

#include <map>
#include <string>

#include "Halide.h"

#include "graph/data/graph.h"

namespace eutectic {

/** The floating-point operations that the value of `e` may come out of, through selects and conversions;
 * empty when it comes out of a load, of a comparison of sizes (min, max) or of anything else that a compiler
 * does not rearrange. */
Arithmetic result_of(const Halide::Expr &e);

/** What happens to a load in an expression. */
struct LoadUse {
    Arithmetic into;  ///< operations that the value goes into directly
    bool forwarded =
        false;  ///< the value itself is (or may be, through a select) the value of the expression
};

/** What happens to the loads of each Func, by its name, in the value of `e`. Loads in indices and conditions
 *  are left out: their values go into no arithmetic of the result. */
std::map<std::string, LoadUse> uses_of(const Halide::Expr &e);

}  // namespace eutectic
