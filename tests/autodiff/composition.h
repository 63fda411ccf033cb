#pragma once

// Random pipelines for gradient checks: a handful of operations drawn from a seed, one applied to what
// earlier ones gave.

#include "gradient_check.h"

#include <string>

namespace eutectic::test {

struct Composition {
    Subject subject;  // with its kinks
    Shapes shapes;
    std::string text;  // the operations in order, as "x transpose prefix_sum …"
};

/// The same pipeline for the same seed everywhere. Values stay within some hundreds, so that central
/// differences are exact enough.
Composition random_composition(unsigned seed);

/// The names of all operations that random_composition draws from.
std::vector<std::string> operation_names();

}  // namespace eutectic::test
