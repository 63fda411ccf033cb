#pragma once

// Ranges of forward values, from those declared for inputs.

#include "autodiff/residuals/choice/inverse.h"

#include <Halide.h>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace eutectic {

/// Of every element of the Funcs in `order` (producers first), by name and element, as far as interval
/// arithmetic over their pure definitions tells; what has updates, and what reads something unknown, is left
/// out.
std::map<std::pair<std::string, int>, ValueRange>
value_ranges(const std::vector<Halide::Internal::Function> &order,
             const std::map<std::string, ValueRange> &of_inputs);

/// The function that y's pure definition applies to one Func x at y's own point, and x; nothing for any other
/// y.
struct AppliedFunction {
    Invertible f;
    Halide::Internal::Function x;
};
std::optional<AppliedFunction> applied_function(const Halide::Internal::Function &y);

/// x computed back from y.
Halide::Expr inverse(Invertible f, const Halide::Expr &y);

}  // namespace eutectic
