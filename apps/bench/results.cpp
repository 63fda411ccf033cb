#include "apps/bench/results.h"

#include "apps/bench/process.h"
#include "base/units.h"

#include <HalideRuntime.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <thread>

namespace eutectic::bench {

namespace {

using nlohmann::json;

/// The value of the first line "KEY : value" of a file of the system.
std::string system_value(const std::string &path, const std::string &key) {
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        const size_t colon = line.find(':');
        if (line.compare(0, key.size(), key) == 0 && colon != std::string::npos && colon + 2 <= line.size()) {
            return line.substr(colon + 2);
        }
    }
    return "unknown";
}

std::string first_line(const std::string &path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    return line;
}

/// The commit of the source, with "+" if files differ from it.
std::string commit_of(const std::string &folder) {
    const auto git = [&](std::vector<std::string> words) {
        words.insert(words.begin(), {"/usr/bin/env", "git", "-C", folder});
        return run_process(words, 10);
    };
    const Finished head = git({"rev-parse", "HEAD"});
    if (!head.failure.empty()) {
        return "unknown";
    }
    const bool changed = !git({"diff", "--quiet", "HEAD"}).failure.empty();
    return head.output.substr(0, head.output.find('\n')) + (changed ? "+" : "");
}

json caches() {
    json sizes = json::object();
    for (int index = 0; index < 5; index++) {
        const std::string folder = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/";
        if (const std::string size = first_line(folder + "size"); !size.empty() && first_line(folder + "type") != "Instruction") {
            sizes["L" + first_line(folder + "level")] = size;
        }
    }
    return sizes;
}

std::string with_digits(const char *pattern, double value) {
    char text[32];
    std::snprintf(text, sizeof text, pattern, value);
    return text;
}

}  // namespace

json surroundings(const std::string &source_folder) {
    const std::string halide = std::to_string(HALIDE_VERSION_MAJOR) + "." + std::to_string(HALIDE_VERSION_MINOR) + "." + std::to_string(HALIDE_VERSION_PATCH);
    return {
        {"machine",
         {{"cpu", system_value("/proc/cpuinfo", "model name")},
          {"cores", std::thread::hardware_concurrency()},
          {"caches", caches()},
          {"memory", system_value("/proc/meminfo", "MemTotal")},
          {"kernel", first_line("/proc/sys/kernel/osrelease")},
          {"load", first_line("/proc/loadavg")}}},
        {"versions", {{"eutectic", EUTECTIC_VERSION}, {"commit", commit_of(source_folder)}, {"halide", halide}, {"compiler", "g++ " __VERSION__}}}};
}

json to_json(const json &surroundings, const std::vector<Outcome> &outcomes) {
    json result = surroundings;
    result["rows"] = json::array();
    for (const Outcome &outcome : outcomes) {
        json row = {{"name", outcome.row}, {"verified", outcome.verified}, {"failed", outcome.failed}};
        row["plan_seconds"] = outcome.plan_seconds ? json(*outcome.plan_seconds) : json();
        row["seconds"] = row["spread"] = json::object();
        for (const auto &[contender, times] : outcome.times) {
            row["seconds"][contender] = times.minimum;
            row["spread"][contender] = {{"first_quartile", times.first_quartile},
                                        {"median", times.median},
                                        {"third_quartile", times.third_quartile},
                                        {"processes", outcome.processes.at(contender)}};
        }
        result["rows"].push_back(row);
    }
    return result;
}

void print_table(std::ostream &out, const Outcome &outcome, const std::vector<std::string> &contenders) {
    char line[160];
    out << "\n"
        << outcome.row << (outcome.verified ? "" : " (not verified)");
    if (outcome.plan_seconds) {
        out << ", planned in " << format_seconds(*outcome.plan_seconds);
    }
    std::snprintf(line, sizeof line, "\n  %-14s %10s %10s %8s  %s\n", "contender", "minimum", "median", "spread", "eutectic is");
    out << line;
    const auto eutectic = outcome.times.find("eutectic");
    for (const std::string &contender : contenders) {
        const auto found = outcome.times.find(contender);
        if (found == outcome.times.end()) {
            const auto reason = outcome.failed.find(contender);
            out << "  " << contender << " failed: " << (reason == outcome.failed.end() ? "did not run" : reason->second) << "\n";
            continue;
        }
        const Summary &t = found->second;
        std::string ratio;
        if (eutectic != outcome.times.end() && eutectic != found) {
            ratio = with_digits("%.2f times as fast", t.minimum / eutectic->second.minimum);
        }
        std::snprintf(line, sizeof line, "  %-14s %10s %10s %7.1f%%  %s\n", contender.c_str(), format_seconds(t.minimum).c_str(),
                      format_seconds(t.median).c_str(), 100 * (t.third_quartile - t.first_quartile) / t.median, ratio.c_str());
        out << line;
    }
}

}  // namespace eutectic::bench
