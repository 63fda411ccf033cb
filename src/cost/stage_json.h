#pragma once

#include <string>
#include <vector>

#include "cost/cost.h"

namespace eutectic {

/** What one loop nest was priced by: its stages, and what its allocations add to price(stages). */
struct PricedNest {
    std::vector<NestedStage> stages;
    Seconds allocations = 0;
};

/** As JSON, without the names of dims: what a measured time is kept with, so that it can be priced again
 * after the model has changed. Throws std::runtime_error when `text` is something else. */
std::string to_json(const std::vector<PricedNest> &nests);
std::vector<PricedNest> priced_nests(const std::string &text);

}  // namespace eutectic
