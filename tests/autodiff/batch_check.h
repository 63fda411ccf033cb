#pragma once

// Checks of batches.

#include "gradient_check.h"

#include <functional>
#include <set>
#include <string>

namespace eutectic::test {

/// The largest difference of an example in the batch to what it is alone, over all outputs, and infinity
/// where an output has another number of dimensions than it should.
double error_of_batch(const std::function<Subject()> &make, const Shapes &shapes,
                      const std::set<std::string> &over, int low_label = 0, int labels = 1);

}  // namespace eutectic::test
