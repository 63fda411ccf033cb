#pragma once

#include <nlohmann/json_fwd.hpp>

#include "report/report.h"

namespace eutectic {

// Parts of to_json().

nlohmann::ordered_json cost_json(const Cost &cost);

/** The groups of the plan, each with its loops, what it adds and what it moves. */
nlohmann::ordered_json groups_json(const Report &report);

/** The kernels of a GPU, in the order in which they are launched. */
nlohmann::ordered_json kernels_json(const Report &report);

}  // namespace eutectic
