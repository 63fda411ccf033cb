// What the rows took, as JSON and as a table.

#include "apps/bench/plan/study.h"
#include "base/units.h"

#include <cstdio>

namespace eutectic::bench {

namespace {

using nlohmann::ordered_json;

template<typename T>
ordered_json or_null(const std::optional<T> &value) {
    return value ? ordered_json(*value) : ordered_json();
}

ordered_json to_json(const Measured &m, const std::optional<double> &ratio) {
    ordered_json json = {{"plan_seconds", or_null(m.plan_seconds)},
                         {"peak_bytes", or_null(m.peak_bytes)},
                         {"runs", m.runs},
                         {"define_seconds", or_null(m.define_seconds)},
                         {"lower_seconds", or_null(m.lower_seconds)},
                         {"compile_seconds", or_null(m.compile_seconds)},
                         {"compile_ratio", or_null(ratio)}};
    if (!m.failed.empty()) {
        json["failed"] = m.failed;
    }
    if (!m.compile_failed.empty()) {
        json["compile_failed"] = m.compile_failed;
    }
    return json;
}

std::string text_of(const std::optional<double> &seconds) {
    return seconds ? format_seconds(*seconds) : "-";
}

}  // namespace

ordered_json to_json(const RowResult &result) {
    ordered_json planners = ordered_json::object();
    for (const auto &[name, measured] : result.planners) {
        planners[name] = to_json(measured, result.ratio(measured));
    }
    ordered_json root = {{"compile_seconds", or_null(result.vectorized_root.compile_seconds)}};
    if (!result.vectorized_root.compile_failed.empty()) {
        root["compile_failed"] = result.vectorized_root.compile_failed;
    }
    return {{"name", result.row.name},
            {"about", result.row.about},
            {"funcs", result.funcs},
            {"planners", planners},
            {"vectorized_root", root}};
}

ordered_json summary(const std::vector<RowResult> &results) {
    ordered_json all = ordered_json::object();
    for (const RowResult &result : results) {
        for (const auto &[name, m] : result.planners) {
            if (!all.contains(name)) {
                all[name] = {{"planned", 0},
                             {"not_planned", ordered_json::array()},
                             {"slowest", nullptr},
                             {"largest_ratio", nullptr}};
            }
            ordered_json &one = all[name];
            if (!m.plan_seconds) {
                one["not_planned"].push_back(result.row.name);
                continue;
            }
            one["planned"] = one["planned"].get<int>() + 1;
            if (one["slowest"].is_null() || *m.plan_seconds > one["slowest"]["plan_seconds"].get<double>()) {
                one["slowest"] = {{"row", result.row.name}, {"plan_seconds", *m.plan_seconds}};
            }
            const std::optional<double> ratio = result.ratio(m);
            if (ratio && (one["largest_ratio"].is_null() ||
                          *ratio > one["largest_ratio"]["compile_ratio"].get<double>())) {
                one["largest_ratio"] = {{"row", result.row.name}, {"compile_ratio", *ratio}};
            }
        }
    }
    return all;
}

void print_head(std::ostream &out) {
    char line[200];
    std::snprintf(line, sizeof line, "%-36s %6s %-9s %9s %10s %9s %9s %6s\n", "row", "Funcs", "planner",
                  "plan", "memory", "compile", "at root", "ratio");
    out << line;
}

void print(std::ostream &out, const RowResult &result) {
    for (const auto &[name, m] : result.planners) {
        const std::optional<double> quotient = result.ratio(m);
        char ratio[32] = "-", line[300];
        if (quotient) {
            std::snprintf(ratio, sizeof ratio, "%.2f", *quotient);
        }
        std::snprintf(line, sizeof line, "%-36s %6d %-9s %9s %10s %9s %9s %6s\n", result.row.name.c_str(),
                      result.funcs, name.c_str(), text_of(m.plan_seconds).c_str(),
                      m.peak_bytes ? format_bytes(*m.peak_bytes).c_str() : "-",
                      text_of(m.compile_seconds).c_str(),
                      text_of(result.vectorized_root.compile_seconds).c_str(), ratio);
        out << line;
        if (m.lower_seconds) {
            out << "    Halide takes " << text_of(m.define_seconds) << " to define it, and "
                << text_of(m.lower_seconds) << " to lower the plan.\n";
        }
        for (const std::string &reason : {m.failed, m.compile_failed}) {
            out << (reason.empty() ? "" : "    " + reason + "\n");
        }
    }
    if (!result.vectorized_root.compile_failed.empty()) {
        out << "    At root: " << result.vectorized_root.compile_failed << "\n";
    }
}

}  // namespace eutectic::bench
