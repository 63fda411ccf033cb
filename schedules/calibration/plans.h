#pragma once

#include <map>
#include <string>
#include <vector>

#include "Halide.h"

#include "base/units.h"
#include "schedules/autoschedule.h"

namespace eutectic {

/** One plan of a generator's pipeline, as a study lists it. */
struct ListedPlan {
    std::string plan;       ///< "chosen", "unfused", or the seed that autoscheduler.sample takes
    std::string decisions;  ///< a hash: equal for equal plans
    Seconds predicted = 0;
    std::string text;  ///< the plan by ids
};

/** The chosen plan, the unfused one, and those drawn from seeds 0 … `seeds` - 1, each distinct plan once.
 * The generator must be linked in; nothing is compiled. Throws UserError for an unknown generator or
 * parameter.
 */
std::vector<ListedPlan> list_plans(const std::string &generator,
                                   const std::map<std::string, std::string> &params,
                                   const Halide::Target &target, const Parameters &parameters,
                                   uint64_t seeds);

}  // namespace eutectic
