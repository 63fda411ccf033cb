#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace eutectic::distributed {

/// Gradients that are complete at the same time, and travel together.
struct Bucket {
    std::string boundary;                ///< the Func that the plan has in memory and that they are made of
    std::vector<std::string> gradients;  ///< in the order of the report's groups: d_w3, d_b3

    bool operator==(const Bucket &other) const {
        return boundary == other.boundary && gradients == other.gradients;
    }
};

/// What a backward's report says of when gradients are complete. A gradient is made of what its loop nest
/// reads from memory; of these Funcs the one that is computed last is its boundary: from there on nothing
/// else is missing. Gradients with one boundary are a bucket, and buckets come in the order in which the plan
/// computes their boundaries.
///
///     d_logits, in memory → d_h2, inside of d_z2, in memory → d_h1, inside of d_z1, in memory
///     d_logits: d_w3 d_b3        d_z2: d_w2 d_b2              d_z1: d_w1 d_b1
///
/// Gradients that are made of nothing that is in memory come first, with an empty boundary. Throws
/// std::runtime_error if the report does not compute one of `gradients`.
std::vector<Bucket> communication_buckets(const nlohmann::json &report,
                                          const std::vector<std::string> &gradients);

}  // namespace eutectic::distributed
