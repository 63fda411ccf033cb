#pragma once

// What the forward keeps for the backward, as plain data for reports.

#include <cstdint>
#include <string>
#include <vector>

namespace eutectic {

/// One value that the backward reads. `kind`, of a tensor that is kept: saved (a forward Func in full), mask
/// (one bit an element, packed along the first dimension), argmax and argmin (int32 positions), lse
/// (log-sum-exp per row). Of what needs no residual: output (of the forward, passed again), recomputed (out
/// of inputs and of other values), rewritten (computed back from a result). `shape` is at the estimates,
/// innermost first; -1 where an estimate is missing. `bytes` is its size there, 0 when the shape is not known
/// and where nothing is kept. `seconds` is what keeping or making it costs once, estimated. `refused`: ways
/// that it could not have, a sentence each.
struct Residual {
    std::string name;
    std::string type;
    std::vector<std::int64_t> shape;
    std::int64_t bytes = 0;
    std::string kind;
    double seconds = 0;
    std::string reason;
    std::vector<std::string> refused;
    /// `shape` for any size, as text in terms of the arguments: "(w.extent(0) - 1) / 8 + 1". Empty where
    /// nobody asked for it.
    std::vector<std::string> extents = {};
};

/// What is kept, what needs no residual, and the larger peak of temporaries (estimated, bytes).
struct ResidualReport {
    std::vector<Residual> kept, others;
    std::int64_t scratch = 0;
};

std::int64_t total_bytes(const std::vector<Residual> &residuals);

/// One line a residual: name, type, shape, bytes, kind, seconds and reason; then those that need none,
/// without type and shape; what was refused below each; and the total.
std::string residual_table(const ResidualReport &report);

/// {"residuals": [{"name", "type", "shape", "extents", "bytes", "kind", "seconds", "reason", "refused"}],
/// "total_bytes",
///  "without_residual": [{"name", "kind", "seconds", "reason", "refused"}], "temporary_bytes"}
std::string residual_json(const ResidualReport &report);

}  // namespace eutectic
