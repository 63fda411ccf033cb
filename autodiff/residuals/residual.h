#pragma once

// What the forward keeps for the backward, as plain data for reports.

#include <cstdint>
#include <string>
#include <vector>

namespace eutectic {

/// One tensor kept. `kind`: saved (a forward Func in full), mask (one bit an element, packed along the first dimension), argmax and
/// argmin (int32 positions), lse (log-sum-exp per row). `shape` is at the estimates, innermost first; -1 where an estimate is missing.
/// `bytes` is its size there, 0 when the shape is not known.
struct Residual {
    std::string name;
    std::string type;
    std::vector<std::int64_t> shape;
    std::int64_t bytes = 0;
    std::string kind;
    /// `shape` for any size, as text in terms of the arguments: "(w.extent(0) - 1) / 8 + 1". Empty where nobody asked for it.
    std::vector<std::string> extents = {};
};

std::int64_t total_bytes(const std::vector<Residual> &residuals);

/// One line a residual: name, type, shape, bytes, kind; and the total.
std::string residual_table(const std::vector<Residual> &residuals);

/// {"residuals": [{"name", "type", "shape", "extents", "bytes", "kind"}], "total_bytes"}
std::string residual_json(const std::vector<Residual> &residuals);

}  // namespace eutectic
