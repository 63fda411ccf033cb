#include "apps/bench/process.h"

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <thread>

namespace eutectic::bench {

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

[[noreturn]] void become(const std::vector<std::string> &command, std::FILE *out, std::FILE *err) {
    dup2(fileno(out), STDOUT_FILENO);
    dup2(fileno(err), STDERR_FILENO);
    std::vector<char *> arguments;
    for (const std::string &word : command) {
        arguments.push_back(const_cast<char *>(word.c_str()));
    }
    arguments.push_back(nullptr);
    execv(arguments[0], arguments.data());
    _exit(127);
}

/// Waits; on timeout kills and says so.
std::string wait_for(pid_t child, double timeout) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::duration<double>(timeout);
    int status = 0;
    while (waitpid(child, &status, WNOHANG) == 0) {
        if (std::chrono::steady_clock::now() > deadline) {
            kill(child, SIGKILL);
            waitpid(child, &status, 0);
            return "ran longer than " + std::to_string(static_cast<int>(timeout)) + " s";
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    if (WIFSIGNALED(status)) {
        return std::string("ended by signal: ") + strsignal(WTERMSIG(status));
    }
    return WEXITSTATUS(status) == 0 ? "" : "exit status " + std::to_string(WEXITSTATUS(status));
}

}  // namespace

Finished run_process(const std::vector<std::string> &command, double timeout) {
    const File out = temporary(), err = temporary();
    const pid_t child = fork();
    if (child < 0) {
        throw std::runtime_error("no process can be made");
    }
    if (child == 0) {
        become(command, out.get(), err.get());
    }
    Finished finished{"", wait_for(child, timeout)};
    finished.output = content(out.get());
    if (!finished.failure.empty()) {
        const std::string reason = last_line(content(err.get()));
        finished.failure += reason.empty() ? "" : " (" + reason + ")";
    }
    return finished;
}

}  // namespace eutectic::bench
