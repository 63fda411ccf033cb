#include "apps/bench/contest.h"

#include "apps/bench/measure.h"
#include "base/process.h"

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

bool is_newer(const fs::path &file, const fs::path &than) {
    return fs::last_write_time(file) > fs::last_write_time(than);
}

/// One that takes part: a library of kernels, or a peer.
struct Entrant {
    std::string name;
    const Row *row;
    std::string library;  ///< in the row's folder, without .so
    bool peer = false, yardstick = false;
};

/// A contest in progress.
class Contest {
public:
    Contest(const Suite &suite, const Row &row, const Settings &settings, Peers &peers)
        : suite_(suite),
          row_(row),
          settings_(settings),
          peers_(peers),
          folder_(fs::path(settings.folder) / suite.built_as() / row.name) {
        outcome_.row = row.name;
        if (row.yardstick) {
            yardstick_row_ = row.yardstick_row();
        }
    }

    Outcome hold(const std::vector<std::string> &contenders) {
        if (const std::string failure = write_references(); !failure.empty()) {
            for (const std::string &contender : contenders) {
                outcome_.failed[contender] = "there is no reference to compare with: " + failure;
            }
            return outcome_;
        }
        const std::vector<Entrant> entrants = enter(contenders);
        for (int round = 0; round < settings_.processes; round++) {
            // Another one begins each round, so that none always runs after the same neighbour.
            for (size_t i = 0; i < entrants.size(); i++) {
                run(entrants[(i + static_cast<size_t>(round)) % entrants.size()]);
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
            outcome_.gradient = gradient_figures();
        }
        return outcome_;
    }

private:
    std::vector<Entrant> enter(const std::vector<std::string> &contenders) {
        std::vector<Entrant> entrants;
        for (const std::string &name : contenders) {
            const bool peer = kind_of(name) == ContenderKind::peer;
            if (peer && !peers_.missing().empty()) {
                outcome_.absent[name] = peers_.missing();
            } else if (row_.admits(name)) {
                entrants.push_back({name, &row_, name, peer, false});
            }
        }
        if (row_.yardstick) {
            entrants.push_back({row_.yardstick->name, &yardstick_row_, "yardstick", false, true});
        }
        return entrants;
    }

    /// Why there is no library, as the build noted it; empty if there is one.
    std::string build_failure(const Row &row, const std::string &library) const {
        if (fs::exists(folder_ / (library + ".so"))) {
            return "";
        }
        for (size_t i = 0; i < row.kernels.size(); i++) {
            const std::string noted =
                read_line(folder_ / library / ("kernel_" + std::to_string(i) + ".failed"));
            if (!noted.empty()) {
                return row.generator_of(library, i) + ": " + noted;
            }
        }
        return "was not built";
    }

    std::string tensors(bool yardstick) const {
        return (folder_ / (yardstick ? "yardstick_tensors" : "tensors")).string();
    }

    std::vector<std::string> command(const std::string &library, bool yardstick) const {
        char seconds[32];
        std::snprintf(seconds, sizeof seconds, "%g", settings_.process_seconds);
        std::vector<std::string> words = {settings_.program, suite_.name,
                                          "--only",          row_.name,
                                          "--child",         (folder_ / (library + ".so")).string(),
                                          "--reference",     tensors(yardstick),
                                          "--seconds",       seconds};
        if (yardstick) {
            words.push_back("--yardstick");
        }
        if (settings_.cpu_time) {
            words.push_back("--cpu-time");
        }
        return words;
    }

    std::string write_references() const {
        std::string failure = write_reference(row_, row_.reference, false);
        if (failure.empty() && row_.yardstick) {
            failure = write_reference(yardstick_row_, "yardstick_reference", true);
        }
        return failure;
    }

    std::string write_reference(const Row &row, const std::string &library, bool yardstick) const {
        if (std::string failure = build_failure(row, library); !failure.empty()) {
            return failure;
        }
        const fs::path written = fs::path(tensors(yardstick)) / "tensors.json";
        if (fs::exists(written) && is_newer(written, folder_ / (library + ".so")) &&
            is_newer(written, settings_.program)) {
            return "";  // some references take half a minute
        }
        std::vector<std::string> words = command(library, yardstick);
        words.push_back("--write");
        return run_process(words, settings_.process_limit).failure;
    }

    void run(const Entrant &entrant) {
        if (outcome_.absent.count(entrant.name)) {
            return;
        }
        std::string &failure = outcome_.failed[entrant.name];
        if (failure.empty() && !entrant.peer) {
            failure = build_failure(*entrant.row, entrant.library);
        }
        if (failure.empty()) {
            const Finished child =
                entrant.peer
                    ? peers_.measure(entrant.name, row_, tensors(false), settings_)
                    : run_process(command(entrant.library, entrant.yardstick), settings_.process_limit);
            failure = child.failure.empty() ? take(entrant.name, json::parse(child.output)) : child.failure;
        }
        if (failure.empty()) {
            outcome_.failed.erase(entrant.name);
        }
    }

    std::string take(const std::string &contender, const json &report) {
        if (report.contains("absent")) {
            outcome_.absent[contender] = "has no such operation";
            return "";
        }
        if (!report.contains("samples")) {
            differed_ = true;
            char text[96];
            std::snprintf(text, sizeof text, "differs from the reference by %.2g of the largest value",
                          report.at("difference").get<double>());
            return text;
        }
        if (report.contains("variant")) {
            outcome_.variants[contender] = report.at("variant");
        }
        if (contender == "eutectic" && report.contains("kernels")) {
            take_kernels(report.at("kernels"));
        }
        if (report.contains("held_bytes")) {  // a peer's process does not count
            outcome_.held_bytes[contender] = report.at("held_bytes");
            outcome_.points = report.at("points");
        }
        const auto samples = report.at("samples").get<std::vector<double>>();
        outcome_.processes[contender].push_back(*std::min_element(samples.begin(), samples.end()));
        std::vector<double> &all = samples_[contender];
        all.insert(all.end(), samples.begin(), samples.end());
        return "";
    }

    std::optional<double> plan_seconds() const {
        double sum = 0;
        for (size_t i = 0; i < row_.kernels.size(); i++) {
            std::ifstream file(folder_ / "eutectic" / ("kernel_" + std::to_string(i) + ".report.json"));
            const json report = json::parse(file, nullptr, false);
            if (report.is_discarded() || !report.contains("plan_seconds")) {
                return std::nullopt;
            }
            sum += report.at("plan_seconds").get<double>();
            std::ifstream differentiate_file(folder_ / "eutectic" /
                                             ("kernel_" + std::to_string(i) + ".differentiate"));
            double seconds = 0;
            sum += differentiate_file >> seconds ? seconds : 0;  // only a gradient's kernels have the file
        }
        return sum;
    }

    /// Keeps each kernel's fastest run of all processes.
    void take_kernels(const json &kernels) {
        if (kernels_.empty()) {
            kernels_ = kernels;
        }
        for (size_t i = 0; i < kernels.size(); i++) {
            kernels_[i]["seconds"] =
                std::min(kernels_[i]["seconds"].get<double>(), kernels[i]["seconds"].get<double>());
        }
    }

    std::optional<GradientFigures> gradient_figures() const {
        if (!row_.gradient || kernels_.empty()) {
            return std::nullopt;
        }
        std::optional<GradientFigures> figures = read_figures((folder_ / "eutectic").string(), kernels_);
        const auto yardstick =
            row_.yardstick ? outcome_.times.find(row_.yardstick->name) : outcome_.times.end();
        if (figures && yardstick != outcome_.times.end()) {
            figures->bytes_per_second = row_.yardstick->work / yardstick->second.minimum;
        }
        return figures;
    }

    const Suite &suite_;
    const Row &row_;
    const Settings &settings_;
    Peers &peers_;
    fs::path folder_;
    Row yardstick_row_;
    Outcome outcome_;
    std::map<std::string, std::vector<double>> samples_;
    json kernels_ = json::array();  // eutectic's, as measure() gives them
    bool differed_ = false;
};

}  // namespace

Outcome hold_contest(const Suite &suite, const Row &row, const std::vector<std::string> &contenders,
                     const Settings &settings, Peers &peers) {
    return Contest(suite, row, settings, peers).hold(contenders);
}

}  // namespace eutectic::bench
