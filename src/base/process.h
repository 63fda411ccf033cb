#pragma once

#include <sys/types.h>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

namespace eutectic {

/// How a process came to its end.
enum class Ending {
    well,        ///< with status 0, or it still runs
    status,      ///< with another one
    signal,      ///< by a signal of its own making, such as a segmentation fault
    timeout,     ///< killed: it took too long
    memory,      ///< killed: it took too much memory
    interrupted  ///< killed: the user wants no more (keep_interrupts())
};

/// What a finished child process left.
struct Finished {
    std::string output;       ///< its standard output
    std::string failure;      ///< why it failed, in a few words; empty if it ended with status 0
    std::string errors = {};  ///< its standard error; of run_process() only
    Ending ending = Ending::well;
};

/// Runs a program and waits for it, for `timeout` seconds at most; then it is killed, with all that it
/// started, which is a failure. Throws std::runtime_error only if the machine has no more processes or files
/// to give.
Finished run_process(const std::vector<std::string> &command, double timeout);

/// From now on Ctrl-C, and the other signals that end a process (base/signals.h), do not end this one: they
/// end the child that is waited for (Ending::interrupted), and interrupted() tells.
void keep_interrupts();
bool interrupted();

/// From now on such a signal kills the children, with all that they started, before it ends this process.
void end_children_first();

/// A program that answers questions, each a line, with a line each, until its standard input ends.
class Worker {
public:
    /// Starts it. `most_bytes` of memory that it holds are the most that it may have, unless 0; beyond that
    /// it is killed. Throws as run_process does.
    explicit Worker(const std::vector<std::string> &command, int64_t most_bytes = 0);
    /// Kills it if it still runs.
    ~Worker();
    Worker(const Worker &) = delete;
    Worker &operator=(const Worker &) = delete;

    /// The answer, or why there is none; then the worker is dead. An empty question only waits for the next
    /// line.
    Finished ask(const std::string &question, double timeout);
    bool alive() const {
        return child_ > 0;
    }

private:
    Ending receive(double timeout);   // until there is a line, or its end
    std::string end(Ending &ending);  // reaps the dead, and tells how it ended

    std::unique_ptr<std::FILE, int (*)(std::FILE *)> errors_;
    int socket_ = -1;
    pid_t child_ = -1;
    int64_t most_bytes_ = 0;
    std::string received_;
};

}  // namespace eutectic
