#pragma once

#include <string>
#include <vector>

#include "fusion/plan/names.h"

namespace eutectic {

/** One decision that may change results. */
struct ArithmeticChange {
    std::string decision;  ///< "centred, inlined into y"; "y_lanes, made of y"
    std::string grade;     ///< "contracting", "reassociating", "approximate" or "reduced precision"
    std::string why;       ///< what happens to the operations
};

/** All decisions of the plan that are not exact, Funcs first, then what is added, then what was changed
 * before planning. The furthest of them is the plan's grade. */
std::vector<ArithmeticChange> arithmetic_changes(const Graph &graph, const FusionPlan &plan);

}  // namespace eutectic
