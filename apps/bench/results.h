#pragma once

#include "apps/bench/contest.h"

#include <nlohmann/json.hpp>

#include <ostream>
#include <vector>

namespace eutectic::bench {

/// Where a run was: {"machine": {cpu, cores, caches…}, "versions": {eutectic, commit, halide, compiler}}.
nlohmann::json surroundings(const std::string &source_folder);

/// {machine, versions, rows: [{name, verified, plan_seconds, seconds: {contender: minimum}, spread: {contender: {first_quartile, median,
/// third_quartile, processes: [minimum of each]}}, failed: {contender: reason}}]}. plan_seconds is null if eutectic did not run.
nlohmann::json to_json(const nlohmann::json &surroundings, const std::vector<Outcome> &outcomes);

/// A table a row: minimum, median, spread between the quartiles, and how many times as fast eutectic is.
void print_table(std::ostream &out, const Outcome &outcome, const std::vector<std::string> &contenders);

}  // namespace eutectic::bench
