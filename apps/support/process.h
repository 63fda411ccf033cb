#pragma once

#include <sys/types.h>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

namespace eutectic {

/// What a finished child process left.
struct Finished {
    std::string output;       ///< its standard output
    std::string failure;      ///< why it failed, in a few words; empty if it ended with status 0
    std::string errors = {};  ///< its standard error; of run_process() only
};

/// Runs a program and waits for it, for `timeout` seconds at most; then it is killed, which is a failure. Throws std::runtime_error only if
/// the machine has no more processes or files to give.
Finished run_process(const std::vector<std::string> &command, double timeout);

/// A program that answers questions, each a line, with a line each, until its standard input ends.
class Worker {
public:
    /// Starts it. Throws as run_process does.
    explicit Worker(const std::vector<std::string> &command);
    /// Kills it if it still runs.
    ~Worker();
    Worker(const Worker &) = delete;
    Worker &operator=(const Worker &) = delete;

    /// The answer, or why there is none; then the worker is dead. An empty question only waits for the next line.
    Finished ask(const std::string &question, double timeout);
    bool alive() const {
        return child_ > 0;
    }

private:
    bool receive(double timeout);  // until there is a line
    std::string end();             // reaps the dead, and tells how it ended

    std::unique_ptr<std::FILE, int (*)(std::FILE *)> errors_;
    int socket_ = -1;
    pid_t child_ = -1;
    std::string received_;
};

}  // namespace eutectic
