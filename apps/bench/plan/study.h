#pragma once

#include "apps/bench/plan/task.h"

#include <nlohmann/json.hpp>

#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace eutectic::bench {

/// Who plans: this scheduler, and another build of it to compare with.
struct Planner {
    std::string name;
    std::string plugin;
};

/// What one planner, or the plainest schedule, took for one row.
struct Measured {
    std::optional<double> plan_seconds;     ///< the least of `runs`
    std::optional<int64_t> peak_bytes;      ///< beyond what the process held before; the least as well
    std::optional<double> compile_seconds;  ///< of one run
    std::optional<double> define_seconds;   ///< Halide's, of the algorithm; the least
    std::optional<double> lower_seconds;    ///< Halide's, of the plan, where that was asked for; of one run
    int runs = 0;
    std::string failed;          ///< why nothing was planned, a sentence
    std::string compile_failed;  ///< why nothing was compiled, the same
};

struct RowResult {
    PlanRow row;
    int funcs = 0;  ///< 0 if that is not known
    std::vector<std::pair<std::string, Measured>> planners;
    Measured vectorized_root;  ///< compile times alone

    /// How many times as long as vectorized_root() a planner's result compiles.
    std::optional<double> ratio(const Measured &measured) const;
};

struct PlanSettings {
    std::string program;     ///< this one, which the children are
    std::string generators;  ///< the generator program
    std::string scratch;     ///< a folder for pipelines and objects
    std::vector<Planner> planners;
    PlanTask task;  ///< target, options and limits of every task
    bool compile = true;
    bool lower = false;       ///< in place of compiling
    int rounds = 3;           ///< of planning; the planners take turns
    double long_seconds = 2;  ///< what takes longer is planned once
    std::function<void(const std::string &)> progress;
};

/// A row that cannot be planned or compiled says why; the others go on.
RowResult measure_row(const PlanRow &row, const PlanSettings &settings);

/// {name, about, funcs, planners: {name: {plan_seconds, peak_bytes, runs, define_seconds, lower_seconds,
/// compile_seconds, compile_ratio, failed, compile_failed}}, vectorized_root: {compile_seconds, failed}};
/// null for what is not known, no reason if there is none.
nlohmann::ordered_json to_json(const RowResult &result);

/// Of all rows: {planned, not_planned: [names], slowest: {row, plan_seconds}, largest_ratio: {row,
/// compile_ratio}} by planner.
nlohmann::ordered_json summary(const std::vector<RowResult> &results);

/// The table's head, and a line for each planner of a row with the reasons below.
void print_head(std::ostream &out);
void print(std::ostream &out, const RowResult &result);

}  // namespace eutectic::bench
