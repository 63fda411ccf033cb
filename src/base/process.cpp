#include "base/process.h"

#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <thread>

#include "base/said.h"
#include "base/signals.h"

namespace eutectic {

namespace {

using File = std::unique_ptr<std::FILE, int (*)(std::FILE *)>;

File temporary() {
    File file(std::tmpfile(), std::fclose);
    if (!file) {
        throw std::runtime_error("no temporary file can be made");
    }
    return file;
}

std::string content(std::FILE *file) {
    std::string text;
    if (std::fseek(file, 0, SEEK_SET) != 0) {
        return text;
    }
    char chunk[4096];
    while (const size_t got = std::fread(chunk, 1, sizeof chunk, file)) {
        text.append(chunk, got);
    }
    return text;
}

volatile std::sig_atomic_t was_interrupted = 0;

constexpr int watch_milliseconds =
    10;  // between two looks at a child: it gets 10 MB more in that time at 1 GB/s

/** In a group of its own, which is killed as a whole, and not without its parent. */
[[noreturn]] void become(const std::vector<std::string> &command, pid_t parent, int in, int out, int err,
                         int64_t most_bytes) {
    setpgid(0, 0);
    end_with(parent, SIGKILL);
    std::signal(SIGINT, SIG_DFL);
    std::signal(SIGTERM, SIG_DFL);
    if (most_bytes > 0) {
        // What is taken and not touched does not show as memory; twice as much of it is an end, too. No image
        // of it is worth writing.
        const rlimit data{static_cast<rlim_t>(2 * most_bytes), static_cast<rlim_t>(2 * most_bytes)},
            core{0, 0};
        setrlimit(RLIMIT_DATA, &data);
        setrlimit(RLIMIT_CORE, &core);
    }
    dup2(in, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    std::vector<char *> arguments;
    for (const std::string &word : command) {
        arguments.push_back(const_cast<char *>(word.c_str()));
    }
    arguments.push_back(nullptr);
    execv(arguments[0], arguments.data());
    _exit(127);
}

/// How a process ended; empty if well.
std::string ending(int status, Ending &how) {
    if (WIFSIGNALED(status)) {
        how = Ending::signal;
        return std::string("ended by signal: ") + strsignal(WTERMSIG(status));
    }
    how = WEXITSTATUS(status) == 0 ? Ending::well : Ending::status;
    return how == Ending::well ? "" : "exit status " + std::to_string(WEXITSTATUS(status));
}

/// Of memory that the process holds.
int64_t bytes_of(pid_t child) {
    int64_t all = 0, held = 0;
    std::ifstream("/proc/" + std::to_string(child) + "/statm") >> all >> held;
    return held * sysconf(_SC_PAGESIZE);
}

void kill_all(pid_t child) {
    kill(-child, SIGKILL);
    kill(child, SIGKILL);  // before it has a group
}

/// The children that run, for a signal's handler to look at; 0 is a free place. One without a place is ended
/// by the kernel with this process, but not what it started.
std::atomic<pid_t> running[64];

void replace_running(pid_t from, pid_t to) {
    for (std::atomic<pid_t> &place : running) {
        pid_t expected = from;
        if (place.compare_exchange_strong(expected, to)) {
            return;
        }
    }
}

/// A child that runs the program. Throws if there is none to be had.
pid_t start(const std::vector<std::string> &command, int in, int out, int err, int64_t most_bytes) {
    const pid_t parent = getpid(), child = fork();
    if (child < 0) {
        throw std::runtime_error("no process can be made");
    }
    if (child == 0) {
        become(command, parent, in, out, err, most_bytes);
    }
    replace_running(0, child);
    return child;
}

/// The status of a child that ended; with WNOHANG, whether it did.
bool reap(pid_t child, int &status, int options) {
    if (waitpid(child, &status, options) == 0) {
        return false;
    }
    replace_running(child, 0);
    return true;
}

/// Watches a child.
class Watch {
public:
    Watch(pid_t child, double timeout, int64_t most_bytes)
        : child_(child),
          timeout_(timeout),
          most_bytes_(most_bytes),
          deadline_(std::chrono::steady_clock::now() +
                    std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                        std::chrono::duration<double>(timeout))) {
    }

    /// Kills the child if it must not go on, and says why; Ending::well if it may.
    Ending look() {
        const bool too_long = std::chrono::steady_clock::now() > deadline_;
        const bool too_much = !too_long && most_bytes_ > 0 && bytes_of(child_) > most_bytes_;
        const Ending why = was_interrupted ? Ending::interrupted
                           : too_long      ? Ending::timeout
                           : too_much      ? Ending::memory
                                           : Ending::well;
        if (why != Ending::well) {
            kill_all(child_);
        }
        return why;
    }

    std::string sentence(Ending why) const {
        return why == Ending::interrupted ? "interrupted"
               : why == Ending::timeout
                   ? "ran longer than " + std::to_string(static_cast<int>(timeout_)) + " s"
                   : "took more than " + std::to_string(most_bytes_ >> 20) + " MiB of memory";
    }

private:
    pid_t child_;
    double timeout_;
    int64_t most_bytes_;
    std::chrono::steady_clock::time_point deadline_;
};

std::string with_reason(const std::string &failure, std::FILE *errors) {
    const std::string reason = last_message(content(errors));
    return failure + (reason.empty() ? "" : " (" + reason + ")");
}

/// Waits; kills what takes too long.
std::string wait_for(pid_t child, double timeout, Ending &how) {
    Watch watch(child, timeout, 0);
    int status = 0;
    while (!reap(child, status, WNOHANG)) {
        how = watch.look();
        if (how != Ending::well) {
            reap(child, status, 0);
            return watch.sentence(how);
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return ending(status, how);
}

void handle_endings(void (*handler)(int)) {
    const sigset_t signals = ending_signals();
    struct sigaction action = {};
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    for (const int signal : {SIGHUP, SIGINT, SIGTERM}) {
        if (sigismember(&signals, signal)) {
            sigaction(signal, &action, nullptr);
        }
    }
}

}  // namespace

Finished run_process(const std::vector<std::string> &command, double timeout) {
    const File out = temporary(), err = temporary();
    const pid_t child = start(command, STDIN_FILENO, fileno(out.get()), fileno(err.get()), 0);
    Finished finished;
    finished.failure = wait_for(child, timeout, finished.ending);
    finished.output = content(out.get());
    finished.errors = content(err.get());
    if (!finished.failure.empty()) {
        finished.failure = with_reason(finished.failure, err.get());
    }
    return finished;
}

void keep_interrupts() {
    handle_endings([](int) { was_interrupted = 1; });
}

void end_children_first() {
    handle_endings([](int signal) {
        for (const std::atomic<pid_t> &child : running) {
            if (const pid_t group = child.load()) {
                kill_all(group);
            }
        }
        end_by(signal);
    });
}

bool interrupted() {
    return was_interrupted != 0;
}

Worker::Worker(const std::vector<std::string> &command, int64_t most_bytes)
    : errors_(temporary()), most_bytes_(most_bytes) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        throw std::runtime_error("no socket can be made");
    }
    try {
        child_ = start(command, ends[1], ends[1], fileno(errors_.get()), most_bytes);
    } catch (...) {
        close(ends[0]);
        close(ends[1]);
        throw;
    }
    close(ends[1]);
    socket_ = ends[0];
}

Worker::~Worker() {
    if (alive()) {
        Ending unused;
        kill_all(child_);
        end(unused);
    }
}

std::string Worker::end(Ending &how) {
    int status = 0;
    reap(child_, status, 0);
    child_ = -1;
    close(socket_);
    return ending(status, how);
}

Ending Worker::receive(double timeout) {
    Watch watch(child_, timeout, most_bytes_);
    while (received_.find('\n') == std::string::npos) {
        if (const Ending why = watch.look(); why != Ending::well) {
            return why;
        }
        pollfd waiting{socket_, POLLIN, 0};
        if (poll(&waiting, 1, watch_milliseconds) <= 0) {
            continue;
        }
        char chunk[4096];
        const ssize_t got = recv(socket_, chunk, sizeof chunk, 0);
        if (got <= 0) {
            break;
        }
        received_.append(chunk, static_cast<size_t>(got));
    }
    return Ending::well;
}

Finished Worker::ask(const std::string &question, double timeout) {
    const std::string line = question.empty() ? "" : question + "\n";
    // A worker that died in the meantime shows when its answer is read.
    send(socket_, line.data(), line.size(), MSG_NOSIGNAL);
    const Ending why = receive(timeout);
    const size_t newline = received_.find('\n');
    if (newline == std::string::npos) {
        Finished finished;
        const std::string ended = end(finished.ending);
        if (why != Ending::well) {
            finished.ending = why;
            finished.failure = Watch(0, timeout, most_bytes_).sentence(why);
        } else {
            finished.failure = with_reason(ended.empty() ? "ended" : ended, errors_.get());
        }
        return finished;
    }
    Finished finished{received_.substr(0, newline), ""};
    received_.erase(0, newline + 1);
    return finished;
}

}  // namespace eutectic
