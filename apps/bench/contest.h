#pragma once

#include "apps/bench/gradient.h"
#include "apps/bench/peers.h"
#include "apps/bench/suite.h"
#include "apps/support/statistics.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace eutectic::bench {

/// What a row's contest found, by contender.
struct Outcome {
    std::string row;
    bool verified = false;  ///< at least one was timed, and every one that ran gave the reference's results
    std::optional<double> plan_seconds;  ///< eutectic's, summed over the kernels
    std::optional<double>
        transcendental_seconds;  ///< what a calibrated machine needs for the row's exp and log alone
    std::optional<GradientFigures> gradient;  ///< of eutectic's pair, in rows of gradients
    std::map<std::string, Summary> times;
    std::map<std::string, std::vector<double>>
        processes;                                ///< the minimum of each process, in the order they ran
    std::map<std::string, size_t> held_bytes;     ///< the most that a run held at once of what it allocated
    double points = 0;                            ///< elements of the outputs
    std::map<std::string, std::string> failed;    ///< why
    std::map<std::string, std::string> absent;    ///< why it does not take part, as the end of a sentence
    std::map<std::string, std::string> variants;  ///< which of its ways of doing it a peer was fastest in
};

/// How to hold a contest.
struct Settings {
    std::string program;  ///< this program, which the children are
    std::string folder;  ///< holds SUITE/ROW/CONTENDER.so and CONTENDER/kernel_N.{failed,report.json}, as the
                         ///< build left them
    int processes =
        5;  ///< a contender; at least 3, so that one process's unlucky memory layout does not decide
    double process_seconds = 0.3;  ///< timed in each
    bool cpu_time = false;         ///< see Task
    double process_limit = 120;    ///< seconds a process may take in all before it is given up
    double peer_limit = 300;       ///< the same for a peer and row, which it compiles first
};

/// Compares every contender with the reference, then times those that agree: one process a contender in turn
/// (a peer's is the same each time), `processes` rounds. Of `contenders` those that the row admits take part,
/// and its yardstick.
Outcome hold_contest(const Suite &suite, const Row &row, const std::vector<std::string> &contenders,
                     const Settings &settings, Peers &peers);

}  // namespace eutectic::bench
