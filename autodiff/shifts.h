#pragma once

#include <Halide.h>

#include <set>
#include <string>
#include <vector>

namespace eutectic {

/// Names of the maxima of rows that are only there for numbers to stay small: everything that reads them, or
/// exponentials and sums over them, is a softmax, its logarithm or its cross entropy, which do not depend on
/// them. `order`: every Func, producers first; `outputs` are read by others, too.
std::set<std::string> needless_shifts(const std::vector<Halide::Internal::Function> &order,
                                      const std::set<std::string> &outputs);

}  // namespace eutectic
