#pragma once

#include "apps/bench/contest.h"
#include "apps/bench/means.h"

#include <nlohmann/json.hpp>

#include <ostream>
#include <vector>

namespace eutectic::bench {

/// Where a run was: {"machine": {cpu, cores, caches…}, "versions": {eutectic, commit, halide, compiler}}.
nlohmann::json surroundings(const std::string &source_folder);

/// Name and driver of each NVIDIA GPU, as nvidia-smi tells them; "unknown" without it.
std::string gpu_of_machine();

/// {machine, versions, clock, rows: [{name, verified, plan_seconds, seconds: {contender: minimum}, spread:
/// {contender: {first_quartile, median, third_quartile, processes: [minimum of each]}}, failed: {contender:
/// reason}, absent: the same, held_bytes: {contender: the most that a run held at once of what it allocated},
/// per_point: {row: another row of the same kernels, ratio: eutectic's time per element of the output here
/// over the one there} where the row names one and both ran, variants: {peer: its fastest way},
/// manual_counts, yardstick: {name, seconds, transcendental_seconds, shares: {contender: its share of the
/// slower one's speed}}}], means: {contender: {opponent: {ratio, rows, worst, worst_row}}}, before: see
/// before.h, where it took part}. plan_seconds is null if eutectic did not run; only rows with a yardstick
/// have one (rows of gradients hold `gradient` in its place: gradient.h), and its transcendental_seconds,
/// what the machine needs for the row's transcendental functions, is null where it has none or the machine is
/// not calibrated.
nlohmann::json to_json(const nlohmann::json &surroundings, const Suite &suite,
                       const std::vector<Outcome> &outcomes);

/// A table a row: minimum, median, spread between the quartiles, and how many times as fast eutectic is; with
/// a yardstick, the share of its speed.
void print_table(std::ostream &out, const Row &row, const Outcome &outcome,
                 const std::vector<std::string> &contenders);

/// The geometric means, a line a contender, and the rows whose manual schedule does not count.
void print_means(std::ostream &out, const Suite &suite, const std::vector<Outcome> &outcomes);

}  // namespace eutectic::bench
