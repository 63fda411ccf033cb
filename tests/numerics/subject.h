#pragma once

#include "apps/support/kernel.h"
#include "tests/numerics/guarded_tensor.h"
#include "tests/numerics/shapes.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace eutectic::numerics {

/// One generator with its parameters, compiled twice.
struct Subject {
    std::string generator;
    std::vector<Kernel> kernels;        ///< by Eutectic in float32: name; if it has gradients also name_forward, name_backward
    std::vector<Kernel> reference;      ///< scalar, serial, every Func in memory, in float64: name_forward and name_backward, else name
    std::vector<std::string> reports;   ///< paths of the JSON reports of `kernels`
    std::vector<std::string> policies;  ///< what the plan must have, for its sizes were chosen to meet them

    const Shapes &shapes() const {
        return shapes_of(generator);
    }
    bool has_gradients() const {
        return reference.size() > 1;
    }
};

/// Made by CMakeLists.txt (kernels.cpp.in), one a program.
Subject subject();

/// The size of every free dimension.
using Sizes = std::map<std::string, Range>;

/// What the kernels are planned for, from their metadata; mins are 0.
Sizes estimates(const Subject &subject);

/// Sizes to call with, and their name for messages.
struct Case {
    std::string name;
    Sizes sizes;
};

/// The estimates themselves; then 1, 3, a prime, half and three times the estimate, and every tile of the plans less one, each free
/// dimension alone and all of them together. Mins are not 0 and differ from dimension to dimension.
std::vector<Case> cases(const Subject &subject);

/// What the reports say of the plans.
struct Plan {
    std::vector<int> tiles;  ///< the distinct extents above 1 of tiles, and of the blocks, chunks and strips that their loops step by
    std::set<std::string> policies;
};
Plan plan_of(const Subject &subject);

}  // namespace eutectic::numerics
