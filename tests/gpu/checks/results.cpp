#include "tests/gpu/checks/checks.h"

#include <algorithm>
#include <chrono>

#include <nlohmann/json.hpp>

namespace eutectic::numerics {

Checked check(const NamedSubject &named) {
    const Subject subject = named.subject();
    Checked result;
    result.name = named.name;
    const auto start = std::chrono::steady_clock::now();
    for (const Case &c : cases(subject)) {
        Failures failures;
        const auto residuals = residual_ranges(subject, c.sizes);
        // Padded, or the scalar loops would step down columns whose elements share a cache set.
        const auto reference = evaluate(subject, subject.reference, c.sizes, residuals,
                                        {GuardedTensor::Place::middle, 9, 1, Numbers::exact}, failures);
        compare(evaluate(subject, subject.kernels, c.sizes, residuals,
                         {GuardedTensor::Place::middle, 3, 2, Numbers::exact}, failures),
                reference, roundings_of(c.sizes), failures);
        result.sizes++;
        for (const std::string &failure : failures) {
            result.failures.push_back(c.name + ": " + failure);
        }
        if (result.failures.size() >= 10) {
            break;
        }
    }
    result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return result;
}

nlohmann::json to_json(const Checked &row) {
    return {{"name", row.name}, {"sizes", row.sizes}, {"seconds", row.seconds}, {"failures", row.failures}};
}

Checked checked_from_json(const nlohmann::json &row) {
    Checked result;
    result.name = row.at("name");
    result.sizes = row.at("sizes");
    result.seconds = row.at("seconds");
    result.failures = row.at("failures").get<Failures>();
    return result;
}

nlohmann::json to_json(const std::string &device, const std::vector<Checked> &rows) {
    nlohmann::json document = {{"device", device}, {"rows", nlohmann::json::array()}};
    size_t right = 0;
    for (const Checked &row : rows) {
        right += row.is_right() ? 1 : 0;
        document["rows"].push_back(to_json(row));
    }
    document["right"] = right;
    document["wrong"] = rows.size() - right;
    return document;
}

}  // namespace eutectic::numerics
