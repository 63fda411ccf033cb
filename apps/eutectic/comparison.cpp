#include "apps/eutectic/comparison.h"

#include <algorithm>
#include <cstdio>
#include <sstream>

#include <nlohmann/json.hpp>

#include "apps/eutectic/text_table.h"
#include "base/units.h"
#include "pages.h"
#include "report/page/page.h"

namespace eutectic {

using nlohmann::ordered_json;

namespace {

template<typename T>
ordered_json or_null(const std::optional<T> &value) {
    return value ? ordered_json(*value) : ordered_json();
}

double spread(const Summary &s) {
    return (s.third_quartile - s.first_quartile) / s.median;
}

std::string percent(double share) {
    char text[32];
    std::snprintf(text, sizeof text, "%.0f %%", 100 * share);
    return text;
}

std::string short_number(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.2g", value);
    return text;
}

std::vector<std::string> cells(const ComparisonRow &r, const std::optional<Summary> &ours) {
    const auto time = [](const std::optional<double> &seconds) {
        return seconds ? format_seconds(*seconds) : std::string("-");
    };
    std::vector<std::string> row = {r.scheduler, r.status};
    row.push_back(r.seconds ? format_seconds(r.seconds->median) : "-");
    row.push_back(r.seconds ? format_seconds(r.seconds->minimum) : "-");
    row.push_back(r.seconds ? percent(spread(*r.seconds)) : "-");
    row.push_back(r.seconds && ours ? short_number(r.seconds->median / ours->median) : "-");
    row.push_back(time(r.schedule_seconds));
    row.push_back(time(r.compile_seconds));
    row.push_back(r.peak_bytes ? format_bytes(*r.peak_bytes) : "-");
    row.push_back(r.kernels ? std::to_string(*r.kernels) : "-");
    row.push_back(r.max_error ? short_number(*r.max_error) : "-");
    return row;
}

}  // namespace

ordered_json to_json(const ComparisonRow &r) {
    const bool timed = r.seconds.has_value();
    return {{"file", r.file},
            {"scheduler", r.scheduler},
            {"status", r.status},
            {"reason", r.reason},
            {"seconds", timed ? ordered_json(r.seconds->median) : ordered_json()},
            {"min_seconds", timed ? ordered_json(r.seconds->minimum) : ordered_json()},
            {"spread", timed ? ordered_json(spread(*r.seconds)) : ordered_json()},
            {"schedule_seconds", or_null(r.schedule_seconds)},
            {"compile_seconds", or_null(r.compile_seconds)},
            {"peak_bytes", or_null(r.peak_bytes)},
            {"kernels", or_null(r.kernels)},
            {"max_error", or_null(r.max_error)}};
}

ordered_json to_json(const ordered_json &machine, const std::vector<ComparisonRow> &rows) {
    ordered_json list = ordered_json::array();
    for (const ComparisonRow &row : rows) {
        list.push_back(to_json(row));
    }
    return {{"machine", machine}, {"rows", list}};
}

std::string compare_page(const ordered_json &machine, const std::vector<ComparisonRow> &rows) {
    std::vector<std::string> files;
    for (const ComparisonRow &row : rows) {
        if (files.empty() || files.back() != row.file) {
            files.push_back(row.file);
        }
    }
    const std::string title = files.size() == 1 ? files.front() : std::to_string(files.size()) + " pipelines";
    return fill_page(page_of_compare, title + " under several schedulers", to_json(machine, rows));
}

std::string to_text(const std::vector<ComparisonRow> &rows) {
    std::ostringstream s;
    for (size_t begin = 0; begin < rows.size();) {
        size_t end = begin;
        std::optional<Summary> ours;
        while (end < rows.size() && rows[end].file == rows[begin].file) {
            ours = rows[end].scheduler == "eutectic" ? rows[end].seconds : ours;
            end++;
        }
        std::vector<std::vector<std::string>> table = {{"scheduler", "status", "median", "min", "spread",
                                                        "x eutectic", "schedule", "compile", "peak",
                                                        "kernels", "error"}};
        for (size_t r = begin; r < end; r++) {
            table.push_back(cells(rows[r], ours));
        }
        s << (begin ? "\n" : "") << rows[begin].file << "\n";
        s << text_table(table, 2);
        for (size_t r = begin; r < end; r++) {
            if (!rows[r].reason.empty()) {
                s << "    " << rows[r].scheduler << ": " << rows[r].reason << "\n";
            }
        }
        begin = end;
    }
    return s.str();
}

}  // namespace eutectic
