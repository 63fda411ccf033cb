#pragma once

#include "apps/digits/comparison.h"
#include "apps/digits/kernels.h"

#include <nlohmann/json.hpp>

#include <ostream>
#include <vector>

namespace eutectic::digits {

/// What a run has found; both forms below are made of it.
struct Results {
    std::vector<double> losses;  ///< mean training loss of each epoch
    double training_seconds = 0;
    double test_accuracy = 0;  ///< 0 … 1
    Comparison comparison;
};

/// The fused groups and traffic of each kernel's report, time per step, and last the line "test accuracy:
/// 0.9xxx".
void print_summary(std::ostream &out, const std::vector<NamedReport> &reports, const Results &results);

/// The same as one JSON object: test_accuracy, losses, training_seconds, step_seconds {fused, unfused},
/// kernels {name: traffic, groups}.
nlohmann::json summary_json(const std::vector<NamedReport> &reports, const Results &results);

}  // namespace eutectic::digits
