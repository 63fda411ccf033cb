#pragma once

#include "apps/distributed/measurement.h"

#include <nlohmann/json.hpp>

#include <ostream>

namespace eutectic::distributed {

/// What is told at the end: where the backward is cut, what travelled, and what that cost.
void print_summary(std::ostream &out, const World &world, Session &session, const Measurement &measured,
                   double test_accuracy);

/// The same and more as JSON; README.md has the keys.
nlohmann::json summary_json(const World &world, const Options &options, Session &session,
                            const Measurement &measured, double test_accuracy);

}  // namespace eutectic::distributed
