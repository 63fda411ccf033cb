#include "tests/fuzz/isolated.h"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <stdexcept>

#include <nlohmann/json.hpp>

namespace eutectic::test {

namespace {

using nlohmann::json;

/** One line. */
void write_to(int file, const Outcome &o) {
    const std::string line =
        json{{"failure", o.failure}, {"schedule", o.schedule}, {"exact", o.exact}, {"together", o.together}}
            .dump(-1, ' ', true, json::error_handler_t::replace) +
        "\n";
    for (size_t done = 0; done < line.size();) {
        const ssize_t n = write(file, line.data() + done, line.size() - done);
        if (n <= 0) {
            return;  // nobody reads any more
        }
        done += static_cast<size_t>(n);
    }
}

Outcome read_from(const std::string &line) {
    const json o = json::parse(line);
    return {o.at("failure"), o.at("schedule"), o.at("exact"), o.at("together")};
}

std::string read_all(int file) {
    std::string all;
    char piece[4096];
    for (ssize_t n; (n = read(file, piece, sizeof piece)) > 0;) {
        all.append(piece, static_cast<size_t>(n));
    }
    return all;
}

/** The last line; an empty outcome if there is none. */
Outcome last_of(std::string lines) {
    if (lines.empty()) {
        return {};
    }
    lines.pop_back();
    const size_t before = lines.rfind('\n');
    return read_from(before == std::string::npos ? lines : lines.substr(before + 1));
}

}  // namespace

Outcome check_isolated(const Recipe &recipe) {
    int ends[2];
    if (pipe(ends) != 0) {
        throw std::runtime_error("fuzz: the machine has no pipe to give");
    }
    const pid_t child = fork();
    if (child < 0) {
        throw std::runtime_error("fuzz: the machine has no process to give");
    }
    if (child == 0) {
        close(ends[0]);
        const auto tell = [&](const Outcome &so_far) { write_to(ends[1], so_far); };
        tell(check_recipe(recipe, tell));
        _exit(0);
    }
    close(ends[1]);
    Outcome outcome = last_of(read_all(ends[0]));
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status)) {
        outcome.failure += std::string(outcome.failure.empty() ? "" : ": ") + strsignal(WTERMSIG(status));
    } else if (WEXITSTATUS(status) != 0) {
        outcome.failure += (outcome.failure.empty() ? "ended with status " : ": ended with status ") +
                           std::to_string(WEXITSTATUS(status));
    }
    return outcome;
}

}  // namespace eutectic::test
