#pragma once

#include <nlohmann/json.hpp>

#include <functional>
#include <string>
#include <vector>

#include "apps/bench/suite.h"

namespace eutectic::accuracy {

/// One generator of the study.
struct Subject {
    bench::Row row;    ///< its kernel, its parameters, ranges of its inputs
    bool fit = false;  ///< constants are fitted to its times, so its accuracy is not reported
};

/// Reads {"rows": [{"name", "generator", "params", "ranges", "rounds", "use": "report" or "fit"}]}. Throws
/// UserError.
std::vector<Subject> read_subjects(const std::string &path);

struct Settings {
    std::string program;     ///< this one, for timing in processes of their own
    std::string generators;  ///< the generators' command line
    std::string plans;       ///< accuracy_plans
    std::string plugin;
    std::string target = "host";  ///< that kernels are compiled for: this machine runs them
    std::string machine;          ///< machine file; empty: the preset
    std::string work;             ///< folder for kernels and for what is already timed
    std::string rows;
    int plans_wanted = 40, seeds = 400, processes = 3, threads = 1, jobs = 1;
    double seconds = 0.15;  ///< of timing in each process
    double timeout = 120;   ///< of one plan's compilation
    bool cpu_time = false;  ///< one thread's CPU time instead of wall time
    std::function<void(const std::string &)> progress;
};

/// Draws plans of a subject, compiles each, compares its results with those of the unfused program and times
/// it. What was timed before for the same plans and settings is not timed again. Returns
///     {"name", "generator", "params", "use", "plans": [{"plan", "decisions", "predicted", "seconds",
///     "processes", "stages" or "failed"}, …]}.
nlohmann::ordered_json study(const Subject &subject, const Settings &settings);

/// Draws and compiles the plans that study() times, but for what it adds once it knows which are near the
/// best.
void compile_plans(const Subject &subject, const Settings &settings);

/// Adds to each subject of a study's results what its plans say: "correlation", "near_correlation", "near",
/// "chosen_over_best"; and returns the medians over those reported.
nlohmann::ordered_json summarize(nlohmann::ordered_json &subjects);

}  // namespace eutectic::accuracy
