#pragma once

#include <map>
#include <string>
#include <vector>

#include "Halide.h"

namespace eutectic {

/** Who can schedule a pipeline in a comparison. */
struct Scheduler {
    std::string name;    ///< "eutectic", "root", "as-is", or what a plugin registers
    std::string plugin;  ///< path of a plugin; empty for the first three
    std::map<std::string, std::string> parameters;  ///< of autoscheduler.NAME
    std::string unsupported;  ///< why it cannot take part, as a sentence's part; empty if it can
};

/** The ones to compare, eutectic first: those `against` names, or all when it is empty, and the `plugins`,
 * "NAME=PATH[,KEY=VALUE…]". `eutectic`: its parameters. Throws UserError for an unknown name, with the
 * nearest known one, and for a plugin that is not there. */
std::vector<Scheduler> contenders(const std::vector<std::string> &against,
                                  const std::vector<std::string> &plugins, const Halide::Target &target,
                                  const std::map<std::string, std::string> &eutectic, int threads);

/** The unfused program, for the same machine as `eutectic`. */
Scheduler root_scheduler(const Scheduler &eutectic);

/** Throws UserError unless this machine can run code for `target`. */
void require_runnable(const Halide::Target &target);

}  // namespace eutectic
