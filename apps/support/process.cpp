#include "apps/support/process.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <thread>

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
    std::rewind(file);
    std::string text;
    char chunk[4096];
    while (const size_t got = std::fread(chunk, 1, sizeof chunk, file)) {
        text.append(chunk, got);
    }
    return text;
}

/// The last line that is not empty: where a program says why it ends.
std::string last_line(const std::string &text) {
    const size_t end = text.find_last_not_of("\n ");
    if (end == std::string::npos) {
        return "";
    }
    const size_t newline = text.find_last_of('\n', end);
    return text.substr(newline == std::string::npos ? 0 : newline + 1, end - (newline == std::string::npos ? 0 : newline + 1) + 1);
}

[[noreturn]] void become(const std::vector<std::string> &command, int in, int out, int err) {
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
std::string ending(int status) {
    if (WIFSIGNALED(status)) {
        return std::string("ended by signal: ") + strsignal(WTERMSIG(status));
    }
    return WEXITSTATUS(status) == 0 ? "" : "exit status " + std::to_string(WEXITSTATUS(status));
}

std::string too_long(double timeout) {
    return "ran longer than " + std::to_string(static_cast<int>(timeout)) + " s";
}

std::string with_reason(const std::string &failure, std::FILE *errors) {
    const std::string reason = last_line(content(errors));
    return failure + (reason.empty() ? "" : " (" + reason + ")");
}

/// Waits; on timeout kills and says so.
std::string wait_for(pid_t child, double timeout) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::duration<double>(timeout);
    int status = 0;
    while (waitpid(child, &status, WNOHANG) == 0) {
        if (std::chrono::steady_clock::now() > deadline) {
            kill(child, SIGKILL);
            waitpid(child, &status, 0);
            return too_long(timeout);
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return ending(status);
}

}  // namespace

Finished run_process(const std::vector<std::string> &command, double timeout) {
    const File out = temporary(), err = temporary();
    const pid_t child = fork();
    if (child < 0) {
        throw std::runtime_error("no process can be made");
    }
    if (child == 0) {
        become(command, STDIN_FILENO, fileno(out.get()), fileno(err.get()));
    }
    Finished finished{"", wait_for(child, timeout), ""};
    finished.output = content(out.get());
    finished.errors = content(err.get());
    if (!finished.failure.empty()) {
        finished.failure = with_reason(finished.failure, err.get());
    }
    return finished;
}

Worker::Worker(const std::vector<std::string> &command)
    : errors_(temporary()) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        throw std::runtime_error("no socket can be made");
    }
    child_ = fork();
    if (child_ < 0) {
        close(ends[0]);
        close(ends[1]);
        throw std::runtime_error("no process can be made");
    }
    if (child_ == 0) {
        become(command, ends[1], ends[1], fileno(errors_.get()));
    }
    close(ends[1]);
    socket_ = ends[0];
}

Worker::~Worker() {
    if (alive()) {
        kill(child_, SIGKILL);
        end();
    }
}

std::string Worker::end() {
    int status = 0;
    waitpid(child_, &status, 0);
    child_ = -1;
    close(socket_);
    return ending(status);
}

bool Worker::receive(double timeout) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::duration<double>(timeout);
    while (received_.find('\n') == std::string::npos) {
        const std::chrono::duration<double, std::milli> left = deadline - std::chrono::steady_clock::now();
        pollfd waiting{socket_, POLLIN, 0};
        if (left.count() <= 0 || poll(&waiting, 1, static_cast<int>(left.count()) + 1) <= 0) {
            kill(child_, SIGKILL);
            return false;
        }
        char chunk[4096];
        const ssize_t got = recv(socket_, chunk, sizeof chunk, 0);
        if (got <= 0) {
            return true;
        }
        received_.append(chunk, static_cast<size_t>(got));
    }
    return true;
}

Finished Worker::ask(const std::string &question, double timeout) {
    const std::string line = question.empty() ? "" : question + "\n";
    // A worker that died in the meantime shows when its answer is read.
    send(socket_, line.data(), line.size(), MSG_NOSIGNAL);
    const bool in_time = receive(timeout);
    const size_t newline = received_.find('\n');
    if (newline == std::string::npos) {
        const std::string ended = end();
        return {"", with_reason(!in_time ? too_long(timeout) : ended.empty() ? "ended"
                                                                             : ended,
                                errors_.get())};
    }
    Finished finished{received_.substr(0, newline), ""};
    received_.erase(0, newline + 1);
    return finished;
}

}  // namespace eutectic
