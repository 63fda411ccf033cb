#include "apps/bench/plan/study.h"

#include "base/process.h"

#include <algorithm>
#include <sstream>

namespace eutectic::bench {

namespace {

using nlohmann::json;

/// What one child told.
struct Told {
    std::optional<double> plan_seconds, compile_seconds, define_seconds, lower_seconds;
    std::optional<int64_t> peak_bytes;
    int funcs = 0;
    std::string failed;        ///< a sentence; empty if it came to its end
    std::string not_compiled;  ///< why
    bool planned = false;
};

std::string seconds_text(double seconds) {
    std::ostringstream text;
    text << seconds << " s of CPU time";
    return text.str();
}

Told run_child(const PlanTask &task, const PlanSettings &settings) {
    // CPU time is what counts; a process that waits for ever, or does not get on, is ended all the same.
    const double patience = 120 + 10 * (task.plan_limit + task.compile_limit);
    const Finished finished = run_process({settings.program, "--child", to_text(task)}, patience);
    Told told;
    bool given_up = false;
    std::istringstream lines(finished.output);
    for (std::string line; std::getline(lines, line);) {
        const json said = json::parse(line, nullptr, false);
        if (!said.is_object()) {
            continue;  // what a pipeline or a scheduler prints by itself
        }
        told.funcs = said.value("funcs", told.funcs);
        for (const auto &[key, seconds] : {std::pair("define_seconds", &told.define_seconds),
                                           std::pair("lower_seconds", &told.lower_seconds)}) {
            if (said.contains(key)) {
                *seconds = said.at(key).get<double>();
            }
        }
        told.failed = said.value("failed", told.failed);
        told.not_compiled = said.value("not_compiled", told.not_compiled);
        given_up = said.value("given_up", given_up);
        if (said.contains("plan_seconds")) {
            told.planned = true;
            told.plan_seconds = said.at("plan_seconds");
            told.peak_bytes = said.at("peak_bytes");
        }
        if (said.contains("compile_seconds")) {
            told.compile_seconds = said.at("compile_seconds");
        }
    }
    const bool compiles = told.planned || task.plugin.empty();
    const std::string what = !compiles ? "Planning" : task.lower ? "Lowering by Halide" : "Compiling";
    if (given_up) {
        told.failed = what + " was given up after " +
                      seconds_text(compiles ? task.compile_limit : task.plan_limit) + ".";
    } else if (told.failed.empty() && !finished.failure.empty()) {
        told.failed = what + " came to no end: " + finished.failure + ".";
    }
    return told;
}

template<typename T>
void keep_least(std::optional<T> &least, const std::optional<T> &now) {
    least = least && now ? std::min(*least, *now) : least ? least : now;
}

/// Only the first round compiles.
void add(const Told &told, bool first, Measured &measured) {
    keep_least(measured.plan_seconds, told.plan_seconds);
    keep_least(measured.peak_bytes, told.peak_bytes);
    keep_least(measured.define_seconds, told.define_seconds);
    measured.runs += told.planned ? 1 : 0;
    if (!told.planned) {
        measured.failed = told.failed;
    } else if (first) {
        measured.compile_seconds = told.compile_seconds;
        measured.lower_seconds = told.lower_seconds;
        measured.compile_failed =
            told.not_compiled.empty() ? told.failed : "It is not compiled, since " + told.not_compiled + ".";
    }
}

/// Writes the generator's pipeline, as it stands before planning, with the first planner's plugin; why it
/// cannot, or nothing.
std::string save_generator(const PlanRow &row, const PlanSettings &settings, const std::string &path) {
    std::vector<std::string> words = {settings.generators, "-g", row.generator, "-n", row.generator};
    words.insert(words.end(), {"-o", settings.scratch, "-e", "schedule", "-p", settings.planners[0].plugin});
    words.push_back("target=" + settings.task.target);
    words.insert(words.end(), row.parameters.begin(), row.parameters.end());
    words.insert(words.end(), {"autoscheduler=Eutectic", "autoscheduler.save=" + path});
    const Finished finished = run_process(words, 600);
    return finished.failure.empty() ? "" : "The generator gives no pipeline: " + finished.failure + ".";
}

/// What failed, or takes long, is not tried again.
bool enough(const Measured &measured, const PlanSettings &settings) {
    return !measured.failed.empty() ||
           (measured.plan_seconds && *measured.plan_seconds > settings.long_seconds);
}

void plan_in_turns(PlanTask task, const PlanSettings &settings, RowResult &result) {
    for (int round = 0; round < settings.rounds; round++) {
        for (size_t p = 0; p < settings.planners.size(); p++) {
            const auto &[name, plugin] = settings.planners[p];
            Measured &measured = result.planners[p].second;
            if (enough(measured, settings)) {
                continue;
            }
            settings.progress(result.row.name + ": " + name + ", round " + std::to_string(round + 1));
            task.plugin = plugin;
            task.object = settings.compile && round == 0 ? settings.scratch + "/kernel.o" : "";
            task.lower = settings.lower && round == 0;
            const Told told = run_child(task, settings);
            add(told, round == 0, measured);
            result.funcs = std::max(result.funcs, told.funcs);
        }
    }
}

void compile_plainest(PlanTask task, const PlanSettings &settings, RowResult &result) {
    if (std::none_of(result.planners.begin(), result.planners.end(),
                     [](const auto &p) { return p.second.compile_seconds; })) {
        return;  // nothing to compare with
    }
    settings.progress(result.row.name + ": vectorized compute_root");
    task.plugin = "";
    task.object = settings.scratch + "/kernel.o";
    const Told told = run_child(task, settings);
    result.vectorized_root.compile_seconds = told.compile_seconds;
    result.vectorized_root.compile_failed = told.failed;
}

}  // namespace

std::optional<double> RowResult::ratio(const Measured &measured) const {
    if (!measured.compile_seconds || !vectorized_root.compile_seconds) {
        return std::nullopt;
    }
    return *measured.compile_seconds / *vectorized_root.compile_seconds;
}

RowResult measure_row(const PlanRow &row, const PlanSettings &settings) {
    RowResult result;
    result.row = row;
    for (const Planner &planner : settings.planners) {
        result.planners.emplace_back(planner.name, Measured());
    }
    PlanTask task = settings.task;
    task.row = row.name;
    if (!row.generator.empty()) {
        settings.progress(row.name + ": the generator writes its pipeline");
        task.file = settings.scratch + "/" + row.generator + ".hlpipe";
        const std::string failed = save_generator(row, settings, task.file);
        if (!failed.empty()) {
            for (auto &[name, measured] : result.planners) {
                measured.failed = failed;
            }
            return result;
        }
    }
    plan_in_turns(task, settings, result);
    compile_plainest(task, settings, result);
    return result;
}

}  // namespace eutectic::bench
