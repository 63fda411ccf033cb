#include "apps/bench/results.h"

#include "apps/bench/before.h"
#include "base/process.h"
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
        if (const std::string size = first_line(folder + "size");
            !size.empty() && first_line(folder + "type") != "Instruction") {
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

std::string gpu_of_machine() {
    const Finished told = run_process(
        {"/usr/bin/env", "nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"}, 10);
    const size_t end = told.output.find_last_not_of('\n');
    return told.failure.empty() && end != std::string::npos ? told.output.substr(0, end + 1) : "unknown";
}

json surroundings(const std::string &source_folder) {
    const std::string halide = std::to_string(HALIDE_VERSION_MAJOR) + "." +
                               std::to_string(HALIDE_VERSION_MINOR) + "." +
                               std::to_string(HALIDE_VERSION_PATCH);
    return {{"machine",
             {{"cpu", system_value("/proc/cpuinfo", "model name")},
              {"cores", std::thread::hardware_concurrency()},
              {"caches", caches()},
              {"memory", system_value("/proc/meminfo", "MemTotal")},
              {"kernel", first_line("/proc/sys/kernel/osrelease")},
              {"load", first_line("/proc/loadavg")}}},
            {"versions",
             {{"eutectic", EUTECTIC_VERSION},
              {"commit", commit_of(source_folder)},
              {"halide", halide},
              {"compiler", "g++ " __VERSION__}}}};
}

namespace {

/// The share of the machine's speed at which each contender did the row's work: of the yardstick's, or of
/// what the transcendental functions take, whichever is lower.
std::map<std::string, double> shares(const Row &row, const Outcome &outcome) {
    std::map<std::string, double> shares;
    const auto yardstick = outcome.times.find(row.yardstick->name);
    if (yardstick != outcome.times.end()) {
        const double least = std::max(yardstick->second.minimum * row.work / row.yardstick->work,
                                      outcome.transcendental_seconds.value_or(0));
        for (const auto &[contender, times] : outcome.times) {
            if (contender != row.yardstick->name) {
                shares[contender] = least / times.minimum;
            }
        }
    }
    return shares;
}

/// Eutectic's time per point of this row over the one of the row that it is like.
std::optional<double> per_point(const Row &row, const Outcome &outcome, const std::vector<Outcome> &all) {
    const auto seconds = [](const Outcome &of) -> std::optional<double> {
        const auto found = of.times.find("eutectic");
        return found == of.times.end() || of.points == 0 ? std::nullopt
                                                         : std::optional(found->second.minimum / of.points);
    };
    const auto like =
        std::find_if(all.begin(), all.end(), [&](const Outcome &o) { return o.row == row.like; });
    const std::optional<double> here = seconds(outcome),
                                there = like == all.end() ? std::nullopt : seconds(*like);
    return here && there ? std::optional(*here / *there) : std::nullopt;
}

json row_to_json(const Row &row, const Outcome &outcome, const std::vector<Outcome> &all) {
    json result = {{"name", outcome.row},
                   {"verified", outcome.verified},
                   {"failed", outcome.failed},
                   {"absent", outcome.absent},
                   {"variants", outcome.variants}};
    result["manual_counts"] = manual_counts(row, outcome);
    result["plan_seconds"] = outcome.plan_seconds ? json(*outcome.plan_seconds) : json();
    if (!outcome.held_bytes.empty()) {
        result["held_bytes"] = outcome.held_bytes;
    }
    if (const std::optional<double> ratio = per_point(row, outcome, all)) {
        result["per_point"] = {{"row", row.like}, {"ratio", *ratio}};
    }
    if (outcome.gradient) {
        result["gradient"] = to_json(*outcome.gradient);
    }
    result["seconds"] = result["spread"] = json::object();
    for (const auto &[contender, times] : outcome.times) {
        if (row.yardstick && contender == row.yardstick->name) {
            if (row.gradient) {
                continue;
            }
            result["yardstick"] = {{"name", contender},
                                   {"seconds", times.minimum},
                                   {"transcendental_seconds", outcome.transcendental_seconds
                                                                  ? json(*outcome.transcendental_seconds)
                                                                  : json()},
                                   {"shares", shares(row, outcome)}};
            continue;
        }
        result["seconds"][contender] = times.minimum;
        result["spread"][contender] = {{"first_quartile", times.first_quartile},
                                       {"median", times.median},
                                       {"third_quartile", times.third_quartile},
                                       {"processes", outcome.processes.at(contender)}};
    }
    return result;
}

const Row &find_row(const Suite &suite, const std::string &name) {
    return *std::find_if(suite.rows.begin(), suite.rows.end(),
                         [&](const Row &row) { return row.name == name; });
}

}  // namespace

json to_json(const json &surroundings, const Suite &suite, const std::vector<Outcome> &outcomes) {
    json result = surroundings;
    result["rows"] = json::array();
    for (const Outcome &outcome : outcomes) {
        result["rows"].push_back(row_to_json(find_row(suite, outcome.row), outcome, outcomes));
    }
    result["means"] = json::object();
    for (const auto &[contender, means] : geometric_means(suite, outcomes)) {
        for (const auto &[opponent, mean] : means) {
            result["means"][contender][opponent] = {{"ratio", mean.ratio},
                                                    {"rows", mean.rows},
                                                    {"worst", mean.worst},
                                                    {"worst_row", mean.worst_row}};
        }
    }
    if (const auto before = summarize_before(outcomes)) {
        result["before"] = to_json(*before);
    }
    return result;
}

void print_table(std::ostream &out, const Row &row, const Outcome &outcome,
                 const std::vector<std::string> &contenders) {
    char line[200];
    out << "\n" << outcome.row << (outcome.verified ? "" : " (not verified)");
    if (outcome.plan_seconds) {
        out << ", planned in " << format_seconds(*outcome.plan_seconds);
    }
    std::vector<std::string> lines;
    std::copy_if(contenders.begin(), contenders.end(), std::back_inserter(lines),
                 [&](const std::string &name) { return row.admits(name); });
    std::map<std::string, double> share;
    const bool shared = row.yardstick && !row.gradient;
    if (row.yardstick) {
        lines.push_back(row.yardstick->name);
        share = shared ? shares(row, outcome) : share;
    }
    const std::string of = shared ? "share of " + row.yardstick->name + "  " : "";
    std::snprintf(line, sizeof line, "\n  %-14s %10s %10s %8s %10s  %s%s\n", "contender", "minimum", "median",
                  "spread", "memory", of.c_str(), "eutectic is");
    out << line;
    const auto eutectic = outcome.times.find("eutectic");
    for (const std::string &contender : lines) {
        const auto found = outcome.times.find(contender);
        if (found == outcome.times.end()) {
            const auto reason = outcome.failed.find(contender), absence = outcome.absent.find(contender);
            if (absence != outcome.absent.end()) {
                out << "  " << contender << " " << absence->second << "\n";
            } else {
                out << "  " << contender
                    << " failed: " << (reason == outcome.failed.end() ? "did not run" : reason->second)
                    << "\n";
            }
            continue;
        }
        const Summary &t = found->second;
        std::string ratio = share.count(contender) ? with_digits("%-12.2f", share.at(contender))
                                                   : std::string(of.size(), ' ');
        ratio.resize(of.size(), ' ');
        if (eutectic != outcome.times.end() && eutectic != found &&
            !(row.yardstick && contender == row.yardstick->name)) {
            ratio += with_digits("%.2f times as fast", t.minimum / eutectic->second.minimum);
        }
        const auto held = outcome.held_bytes.find(contender);
        const std::string memory =
            held == outcome.held_bytes.end() ? "" : format_bytes(static_cast<double>(held->second));
        std::snprintf(line, sizeof line, "  %-14s %10s %10s %7.1f%% %10s  %s\n", contender.c_str(),
                      format_seconds(t.minimum).c_str(), format_seconds(t.median).c_str(),
                      100 * (t.third_quartile - t.first_quartile) / t.median, memory.c_str(), ratio.c_str());
        out << line;
    }
    if (outcome.gradient) {
        out << "  " << to_text(*outcome.gradient) << "\n";
    }
}

void print_means(std::ostream &out, const Suite &suite, const std::vector<Outcome> &outcomes) {
    const auto means = geometric_means(suite, outcomes);
    if (means.empty()) {
        return;
    }
    const char *opponents[] = {"best_peer", "best_peer_table", "best_halide", "manual"};
    out << "\ntimes as fast as, geometric mean (rows; the worst)\n";
    for (const Contender &contender : all_contenders()) {
        const auto found = means.find(contender.name);
        if (found == means.end()) {
            continue;
        }
        char line[200];
        std::snprintf(line, sizeof line, "  %-14s", contender.name.c_str());
        out << line;
        for (const char *opponent : opponents) {
            if (const auto mean = found->second.find(opponent); mean != found->second.end()) {
                std::snprintf(line, sizeof line, "  %s %.2f (%d; %.2f %s)", opponent, mean->second.ratio,
                              mean->second.rows, mean->second.worst, mean->second.worst_row.c_str());
                out << line;
            }
        }
        out << "\n";
    }
    std::string weak;
    for (const Outcome &outcome : outcomes) {
        const Row &row = find_row(suite, outcome.row);
        if (row.counts && outcome.times.count("manual") && !manual_counts(row, outcome)) {
            weak += (weak.empty() ? "" : ", ") + row.name;
        }
    }
    if (!weak.empty()) {
        out << "the manual schedule does not count in " << weak << "\n";
    }
}

}  // namespace eutectic::bench
