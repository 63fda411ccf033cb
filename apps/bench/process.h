#pragma once

#include <string>
#include <vector>

namespace eutectic::bench {

/// What a finished child process left.
struct Finished {
    std::string output;   ///< its standard output
    std::string failure;  ///< why it failed, in a few words; empty if it ended with status 0
};

/// Runs a program and waits for it, for `timeout` seconds at most; then it is killed, which is a failure. Throws std::runtime_error only if
/// the machine has no more processes or files to give.
Finished run_process(const std::vector<std::string> &command, double timeout);

}  // namespace eutectic::bench
