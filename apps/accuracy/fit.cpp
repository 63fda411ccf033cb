// fit: the constants of the cost model that nobody can measure by itself, by least squares over the times of
// plans.

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <sstream>

#include "apps/accuracy/statistics.h"
#include "apps/accuracy/study_file.h"
#include "apps/eutectic/tune_database.h"
#include "base/user_error.h"
#include "cost/fit.h"

namespace eutectic::accuracy {

namespace {

using nlohmann::json;

struct Options {
    std::vector<std::string> constants;
    std::string measurements, machine, output;
    bool all = false;
};

bool is_database(const std::string &path) {
    char start[16] = {};
    std::ifstream(path, std::ios::binary).read(start, sizeof start);
    return std::string(start, 15) == "SQLite format 3";
}

/** Of eutectic tune: all that ran, each pipeline in its own unit. */
std::vector<Measurement> read_trials(const std::string &path, int &threads) {
    std::vector<Measurement> result;
    const std::vector<TunedPipeline> pipelines = read_tuned(path);
    for (const TunedPipeline &of : pipelines) {
        threads = pipelines.front().subject.threads;
        if (of.subject.threads != threads) {
            throw UserError(
                "The database " + path + " has times with " + std::to_string(threads) + " and with " +
                std::to_string(of.subject.threads) +
                " threads, and constants are fitted to one of the two: tune into a file for each.");
        }
        const auto first = std::find_if(of.trials.begin(), of.trials.end(), [](const Trial &t) {
            return t.ratio && *t.ratio == 1 && t.seconds > 0;
        });
        for (const Trial &t : of.trials) {
            if (t.status == "ok" && t.ratio && first != of.trials.end()) {
                result.push_back({of.subject.name + " " + of.subject.pipeline, t.decisions,
                                  priced_nests(t.priced), *t.ratio * first->seconds});
            }
        }
    }
    if (result.empty()) {
        throw UserError("The database " + path +
                        " holds no plan that ran: let eutectic tune --resume measure some.");
    }
    return result;
}

std::vector<Measurement> read_measurements(const std::string &path, bool all, int &threads) {
    if (is_database(path)) {
        return read_trials(path, threads);
    }
    const json study = json::parse(read_study(path), nullptr, false);
    if (study.is_discarded() || !study.contains("generators")) {
        throw UserError("The measurements " + path +
                        " are not what scripts/accuracy --with-stages --json or eutectic tune --resume "
                        "writes: give the path of such a file.");
    }
    threads = study.at("threads");
    std::vector<Measurement> result;
    for (const json &generator : study.at("generators")) {
        for (const json &plan : generator.at("plans")) {
            if ((all || generator.at("use") == "fit") && plan.contains("seconds") &&
                plan.contains("stages")) {
                result.push_back({generator.at("name"), plan.at("plan"),
                                  priced_nests(plan.at("stages").dump()), plan.at("seconds")});
            }
        }
    }
    if (result.empty()) {
        throw UserError(
            "The measurements " + path +
            " hold no plan with its stages: write them with scripts/accuracy --with-stages --json.");
    }
    return result;
}

std::vector<MachineField> chosen_fields(const std::vector<std::string> &keys) {
    std::vector<MachineField> fields;
    for (const MachineField &f : machine_fields()) {
        const bool named = std::find(keys.begin(), keys.end(), f.key) != keys.end();
        if (keys.empty() ? f.owner == Origin::fitted : named) {
            fields.push_back(f);
        }
    }
    if (fields.size() < keys.size() || fields.empty()) {
        throw UserError("Not every one of the constants that were asked for is a number of a machine: give "
                        "keys of a machine file, or none for those that are fitted.");
    }
    return fields;
}

/// What remains: by generator, the correlation and how far predictions are off.
void print(const std::vector<Measurement> &measurements, const Machine &before, const Machine &after) {
    std::vector<std::string> generators;
    for (const Measurement &m : measurements) {
        if (std::find(generators.begin(), generators.end(), m.generator) == generators.end()) {
            generators.push_back(m.generator);
        }
    }
    std::printf("%-24s %6s %20s %28s\n", "generator", "plans", "correlation", "median predicted/measured");
    for (const std::string &g : generators) {
        std::vector<double> seconds, predicted[2], ratio[2];
        for (const Measurement &m : measurements) {
            if (m.generator == g) {
                seconds.push_back(m.seconds);
                for (const int i : {0, 1}) {
                    predicted[i].push_back(predict(m, i ? after : before));
                    ratio[i].push_back(predicted[i].back() / m.seconds);
                }
            }
        }
        std::printf("%-24s %6zu %9.3f -> %6.3f %17.2f -> %6.2f\n", g.c_str(), seconds.size(),
                    spearman(predicted[0], seconds), spearman(predicted[1], seconds), median(ratio[0]),
                    median(ratio[1]));
    }
}

void run(const Options &options) {
    Calibration calibration = read_calibration(options.machine);
    int threads = 0;
    const std::vector<Measurement> measurements =
        read_measurements(options.measurements, options.all, threads);
    const std::vector<MachineField> fields = chosen_fields(options.constants);
    // The machine as those threads see it.
    TargetDescription target;
    target.vector_bits = calibration.machine.vector_bits;
    const Machine machine = machine_from_file(options.machine, target, threads);
    const Fitted fitted = fit_constants(measurements, machine, fields);
    print(measurements, machine, fitted.machine);
    std::printf("\n");
    for (const MachineField &f : fields) {
        std::printf("%-24s %8.4g -> %8.4g %s\n", f.key, f.get(machine), f.get(fitted.machine), f.unit);
        f.set(calibration.machine, f.get(fitted.machine));
        calibration.origins[f.key] = Origin::fitted;
    }
    std::printf("%-24s %8.4g -> %8.4g (factor %.2f)\n", "root mean square of log", fitted.before,
                fitted.after, std::exp(fitted.after));
    if (!options.output.empty()) {
        std::ofstream file(options.output);
        file << to_json(calibration);
        if (!file.flush()) {
            throw UserError("The machine file cannot be written to " + options.output +
                            ": check that its folder exists, is writable and has room.");
        }
    }
}

}  // namespace

}  // namespace eutectic::accuracy

int main(int argc, char **argv) {
    eutectic::accuracy::Options options;
    CLI::App app("Fits constants of the cost model to the times of plans by least squares.", "fit");
    app.add_option("measurements", options.measurements,
                   "what scripts/accuracy --with-stages --json or eutectic tune --resume wrote")
        ->type_name("FILE")
        ->required();
    app.add_option("--machine", options.machine, "the machine file with the measured rates")
        ->type_name("FILE")
        ->required();
    app.add_option("--constants", options.constants,
                   "which numbers to fit (default: those that are said to be fitted)")
        ->type_name("KEY");
    app.add_flag(
        "--all", options.all,
        "fit to the reported generators as well: for development, no study may be reported after it");
    app.add_option("-o,--output", options.output, "write the machine file with the fitted constants here")
        ->type_name("FILE");
    app.footer("examples:\n  scripts/fit\n  scripts/fit study.json --machine machine.json --constants "
               "loop_cycles -o fitted.json\n  scripts/fit tried.db --machine machine.json -o fitted.json");
    CLI11_PARSE(app, argc, argv);
    try {
        eutectic::accuracy::run(options);
    } catch (const std::exception &e) {
        std::cerr << "fit: " << e.what() << "\n";
        return 2;
    }
    return 0;
}
