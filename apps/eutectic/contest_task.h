#pragma once

// What those who are compared on this machine have in common.

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

#include "apps/eutectic/input.h"

namespace eutectic {

/** The part of a contender's task (contender.h) that does not depend on who it is; without "file" and
 * "title". Throws UserError for words that say nothing. */
nlohmann::json common_task(const InputOptions &input, const std::vector<std::string> &inputs,
                           const std::vector<std::string> &externs, const std::string &target, int threads);

/** Half of this machine's memory, in MiB: what a contender may take. */
int memory_limit();

/** As /proc/cpuinfo calls it. */
std::string cpu_name();

}  // namespace eutectic
