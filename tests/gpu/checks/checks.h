#pragma once

#include "tests/numerics/evaluate.h"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace eutectic::numerics {

/// A line of tests/numerics/CMakeLists.txt.
struct NamedSubject {
    const char *name;
    Subject (*subject)();
};

/// Made by CMakeLists.txt.
const std::vector<NamedSubject> &named_subjects();

/// What became of one line.
struct Checked {
    std::string name;
    size_t sizes = 0;   ///< that were tried
    Failures failures;  ///< of the sizes that were wrong, at most ten
    double seconds = 0;

    bool is_right() const {
        return failures.empty();
    }
};

/// Every size of the line on the device in use, against the reference on the CPU.
Checked check(const NamedSubject &named);

nlohmann::json to_json(const Checked &row);
Checked checked_from_json(const nlohmann::json &row);

/// {"device": name, "right": n, "wrong": n, "rows": [{"name", "sizes", "seconds", "failures": [sentence,
/// …]}]}.
nlohmann::json to_json(const std::string &device, const std::vector<Checked> &rows);

}  // namespace eutectic::numerics
