#include "apps/bench/before.h"

#include "apps/support/statistics.h"
#include "base/user_error.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>

namespace eutectic::bench {

namespace {

using nlohmann::json;

constexpr double worth_telling = 0.03;
constexpr double chance = 0.05;

BesideBefore compare(const Outcome &outcome) {
    const double after = outcome.times.at("eutectic").minimum, before = outcome.times.at("before").minimum;
    std::vector<double> processes = outcome.processes.at("before");
    std::sort(processes.begin(), processes.end());
    const size_t telling = telling_process(processes.size(), outcome.processes.at("eutectic").size());
    return {outcome.row, before / after, processes[telling] / before - 1};
}

}  // namespace

bool BesideBefore::slower() const {
    return 1 / ratio > 1 + std::max(worth_telling, spread);
}

size_t telling_process(size_t before, size_t after) {
    // The chance that the fastest i + 1 of all processes are all before's.
    double likely = 1;
    for (size_t i = 0; i < before; i++) {
        likely *= static_cast<double>(before - i) / static_cast<double>(before + after - i);
        if (likely <= chance) {
            return i;
        }
    }
    return before - 1;
}

std::optional<BeforeSummary> summarize_before(const std::vector<Outcome> &outcomes) {
    BeforeSummary summary;
    GeometricMean mean;
    for (const Outcome &outcome : outcomes) {
        if (outcome.times.count("before") && outcome.times.count("eutectic")) {
            summary.rows.push_back(compare(outcome));
            mean.add(summary.rows.back().ratio);
        } else if (outcome.times.count("before") || outcome.failed.count("before")) {
            summary.not_compared.push_back(outcome.row);
        }
    }
    if (!summary.rows.empty()) {
        summary.ratio = *mean.value();
    } else if (summary.not_compared.empty()) {
        return std::nullopt;
    }
    return summary;
}

json to_json(const BeforeSummary &summary) {
    json rows = json::array();
    for (const BesideBefore &row : summary.rows) {
        rows.push_back(
            {{"name", row.row}, {"ratio", row.ratio}, {"spread", row.spread}, {"slower", row.slower()}});
    }
    return {{"ratio", summary.rows.empty() ? json() : json(summary.ratio)},
            {"rows", rows},
            {"not_compared", summary.not_compared}};
}

void print_before(std::ostream &out, const BeforeSummary &summary) {
    char line[200];
    std::vector<std::string> slower;
    out << (summary.rows.empty() ? "\n" : "\ntimes as fast as before (the spread of before beside itself)\n");
    for (const BesideBefore &row : summary.rows) {
        std::snprintf(line, sizeof line, "  %-24s %5.2f  (%.1f %%)%s\n", row.row.c_str(), row.ratio,
                      100 * row.spread, row.slower() ? "  slower" : "");
        out << line;
        if (row.slower()) {
            slower.push_back(row.row);
        }
    }
    if (!summary.rows.empty()) {
        std::snprintf(line, sizeof line, "geometric mean over %zu rows: %.3f\n", summary.rows.size(),
                      summary.ratio);
        out << line
            << "slower by more than 3 % and than the spread: " << (slower.empty() ? "no row" : listed(slower))
            << "\n";
    }
    if (!summary.not_compared.empty()) {
        out << "not compared, since one of the two failed: " << listed(summary.not_compared) << "\n";
    }
}

std::string plugin_at(const std::string &option, const std::string &path) {
    if (!std::filesystem::exists(path)) {
        throw UserError("The plugin " + path + " of " + option +
                        " does not exist; give the path of a libautoschedule_eutectic.so.");
    }
    return std::filesystem::absolute(path).string();
}

}  // namespace eutectic::bench
