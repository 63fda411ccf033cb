#pragma once

// What those who are compared on this machine have in common.

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

#include "apps/eutectic/entrant.h"
#include "apps/eutectic/input.h"

namespace eutectic {

/** The part of a contender's task (contender.h) that does not depend on who it is; without "file" and
 * "title". Throws UserError for words that say nothing. */
nlohmann::json common_task(const InputOptions &input, const std::vector<std::string> &inputs,
                           const std::vector<std::string> &externs, const std::string &target, int threads);

/** The one target that was asked for, which this machine runs. Throws UserError, naming `command`. */
Halide::Target runnable_target(const SchedulingOptions &scheduling, const std::string &command);

/** Threads that programs run with: those that were asked for, or one for each of this machine's. */
int threads_of(const SchedulingOptions &scheduling);

/** What each of so many processes may take at a time: `limits`, or else --timeout's seconds and a share of
 * half of this machine's memory. */
ContestLimits settled(ContestLimits limits, const InputOptions &input, int processes);

/** As /proc/cpuinfo calls it. */
std::string cpu_name();

}  // namespace eutectic
