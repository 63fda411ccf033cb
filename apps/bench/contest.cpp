#include "apps/bench/contest.h"

#include "apps/bench/measure.h"
#include "apps/bench/process.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>

namespace eutectic::bench {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

std::string read_line(const fs::path &path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    return line;
}

/// A contest in progress.
class Contest {
public:
    Contest(const Suite &suite, const Row &row, const Settings &settings)
        : suite_(suite), row_(row), settings_(settings), folder_(fs::path(settings.folder) / suite.name / row.name), reference_((folder_ / "reference.cbor").string()) {
        outcome_.row = row.name;
    }

    Outcome hold(const std::vector<std::string> &contenders) {
        if (const std::string failure = write_reference(); !failure.empty()) {
            for (const std::string &contender : contenders) {
                outcome_.failed[contender] = "there is no reference to compare with: " + failure;
            }
            return outcome_;
        }
        for (int round = 0; round < settings_.processes; round++) {
            // Another one begins each round, so that none always runs after the same neighbour.
            for (size_t i = 0; i < contenders.size(); i++) {
                run(contenders[(i + static_cast<size_t>(round)) % contenders.size()]);
            }
        }
        for (auto &[contender, samples] : samples_) {
            if (!outcome_.failed.count(contender)) {
                outcome_.times[contender] = summarize(samples);
            }
        }
        outcome_.verified = !differed_ && !outcome_.times.empty();
        if (std::find(contenders.begin(), contenders.end(), "eutectic") != contenders.end()) {
            outcome_.plan_seconds = plan_seconds();
        }
        return outcome_;
    }

private:
    std::string library(const std::string &contender) const {
        return (folder_ / (contender + ".so")).string();
    }

    /// Why there is no library, as the build noted it; empty if there is one.
    std::string build_failure(const std::string &contender) const {
        if (fs::exists(library(contender))) {
            return "";
        }
        for (size_t i = 0; i < row_.generators.size(); i++) {
            const std::string noted = read_line(folder_ / contender / ("kernel_" + std::to_string(i) + ".failed"));
            if (!noted.empty()) {
                return row_.generators[i] + ": " + noted;
            }
        }
        return "was not built";
    }

    std::vector<std::string> command(const std::string &contender) const {
        char seconds[32];
        std::snprintf(seconds, sizeof seconds, "%g", settings_.process_seconds);
        return {settings_.program, suite_.name, "--only", row_.name, "--child", library(contender), "--reference", reference_, "--seconds", seconds};
    }

    std::string write_reference() const {
        if (const std::string failure = build_failure("reference"); !failure.empty()) {
            return failure;
        }
        std::vector<std::string> words = command("reference");
        words.push_back("--write");
        return run_process(words, settings_.process_limit).failure;
    }

    void run(const std::string &contender) {
        std::string &failure = outcome_.failed[contender];
        if (failure.empty()) {
            failure = build_failure(contender);
        }
        if (failure.empty()) {
            const Finished child = run_process(command(contender), settings_.process_limit);
            failure = child.failure.empty() ? take(contender, json::parse(child.output)) : child.failure;
        }
        if (failure.empty()) {
            outcome_.failed.erase(contender);
        }
    }

    std::string take(const std::string &contender, const json &report) {
        if (!report.contains("samples")) {
            differed_ = true;
            char text[96];
            std::snprintf(text, sizeof text, "differs from the reference by %.2g of the largest value", report.at("difference").get<double>());
            return text;
        }
        const auto samples = report.at("samples").get<std::vector<double>>();
        outcome_.processes[contender].push_back(*std::min_element(samples.begin(), samples.end()));
        std::vector<double> &all = samples_[contender];
        all.insert(all.end(), samples.begin(), samples.end());
        return "";
    }

    std::optional<double> plan_seconds() const {
        double sum = 0;
        for (size_t i = 0; i < row_.generators.size(); i++) {
            std::ifstream file(folder_ / "eutectic" / ("kernel_" + std::to_string(i) + ".report.json"));
            const json report = json::parse(file, nullptr, false);
            if (report.is_discarded() || !report.contains("plan_seconds")) {
                return std::nullopt;
            }
            sum += report.at("plan_seconds").get<double>();
        }
        return sum;
    }

    const Suite &suite_;
    const Row &row_;
    const Settings &settings_;
    fs::path folder_;
    std::string reference_;
    Outcome outcome_;
    std::map<std::string, std::vector<double>> samples_;
    bool differed_ = false;
};

}  // namespace

Outcome hold_contest(const Suite &suite, const Row &row, const std::vector<std::string> &contenders, const Settings &settings) {
    return Contest(suite, row, settings).hold(contenders);
}

}  // namespace eutectic::bench
