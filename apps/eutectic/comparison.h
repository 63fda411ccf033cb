#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "apps/support/statistics.h"

namespace eutectic {

/** What came of one scheduler on one pipeline. */
struct ComparisonRow {
    std::string file, scheduler;
    std::string status = "ok";       ///< "ok", "wrong", "crash", "timeout", "memory" or "unsupported"
    std::string reason;              ///< a sentence's part, unless all is well
    std::optional<Summary> seconds;  ///< of a run
    std::optional<double> schedule_seconds, compile_seconds, max_error;
    std::optional<int64_t> peak_bytes, kernels;
};

/** {file, scheduler, status, reason, seconds: the median, min_seconds, spread: the quartiles' distance over
 * the median, schedule_seconds, compile_seconds, peak_bytes, kernels, max_error}; null for what was not come
 * to. */
nlohmann::ordered_json to_json(const ComparisonRow &row);

/** {machine, rows}. */
nlohmann::ordered_json to_json(const nlohmann::ordered_json &machine, const std::vector<ComparisonRow> &rows);

/** The same as one page: a table to sort and to filter, with bars. */
std::string compare_page(const nlohmann::ordered_json &machine, const std::vector<ComparisonRow> &rows);

/** A table a file. */
std::string to_text(const std::vector<ComparisonRow> &rows);

}  // namespace eutectic
