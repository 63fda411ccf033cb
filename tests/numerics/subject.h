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
    std::string shapes_line;  ///< of the table in shapes.cpp: the generator's name, if its parameters do not
                              ///< change its shapes
    std::vector<Kernel> kernels;    ///< by Eutectic in the type of the parameters: name; if it has gradients
                                    ///< also name_forward, name_backward
    std::vector<Kernel> reference;  ///< scalar, serial, every Func in memory, in float64: name_forward and
                                    ///< name_backward, else name
    std::vector<std::string> reports;   ///< paths of the JSON reports of `kernels`
    std::vector<std::string> policies;  ///< what the plan must have, for its sizes were chosen to meet them

    const Shapes &shapes() const {
        return shapes_of(shapes_line);
    }
    bool has_gradients() const {
        return reference.size() > 1;
    }
};

/// Made by CMakeLists.txt (kernels.cpp.in), one a program.
Subject subject();

/// The size of every free dimension.
using Sizes = std::map<std::string, Range>;

/// The points of a buffer's dimension: those of a free one, or of a chain of operations that starts with a
/// free one, from left to right. Other sizes follow with the minimum of the first: "n*2" every second of
/// which is a point of n (its minimum too is doubled), "n+3", "n-1", "n/2" (at least one point), "a+b" (b's
/// points behind those of a); but "a*b", a and b as one, starts at 0.
Range range_of(const std::string &dim, const Sizes &sizes);

/// What the kernels are planned for, from their metadata; mins are 0.
Sizes estimates(const Subject &subject);

/// Sizes to call with, and their name for messages.
struct Case {
    std::string name;
    Sizes sizes;
};

/// The estimates themselves; then 1, 2, 3, a prime, one less and one more than the estimate, half and three
/// times it, and every tile of the plans less one, each free dimension alone and all of them together, as far
/// as they may vary. Mins are not 0 and differ from dimension to dimension.
std::vector<Case> cases(const Subject &subject);

/// Of them the estimates, and 1, 3, a prime, one less than the estimate and half of it for all dimensions
/// together: for what is slow to run.
std::vector<Case> few_cases(const Subject &subject);

/// What the reports say of the plans.
struct Plan {
    std::vector<int> tiles;  ///< the distinct extents above 1 of tiles, and of the blocks, chunks and strips
                             ///< that their loops step by
    std::set<std::string> policies;
};
Plan plan_of(const Subject &subject);

}  // namespace eutectic::numerics
