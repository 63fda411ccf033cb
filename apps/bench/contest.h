#pragma once

#include "apps/bench/statistics.h"
#include "apps/bench/suite.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace eutectic::bench {

/// What a row's contest found, by contender.
struct Outcome {
    std::string row;
    bool verified = false;               ///< at least one was timed, and every one that ran gave the reference's results
    std::optional<double> plan_seconds;  ///< eutectic's, summed over the kernels
    std::map<std::string, Summary> times;
    std::map<std::string, std::vector<double>> processes;  ///< the minimum of each process, in the order they ran
    std::map<std::string, std::string> failed;             ///< why
};

/// How to hold a contest.
struct Settings {
    std::string program;           ///< this program, which the children are
    std::string folder;            ///< holds SUITE/ROW/CONTENDER.so and CONTENDER/kernel_N.{failed,report.json}, as the build left them
    int processes = 5;             ///< a contender; at least 3, so that one process's unlucky memory layout does not decide
    double process_seconds = 0.3;  ///< timed in each
    double process_limit = 120;    ///< seconds a process may take in all before it is given up
};

/// Compares every contender with the reference, then times those that agree: one process a contender in turn, `processes` rounds.
Outcome hold_contest(const Suite &suite, const Row &row, const std::vector<std::string> &contenders, const Settings &settings);

}  // namespace eutectic::bench
