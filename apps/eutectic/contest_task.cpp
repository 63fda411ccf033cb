#include "apps/eutectic/contest_task.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <thread>

#include "apps/eutectic/run_arguments.h"
#include "apps/eutectic/schedulers.h"
#include "base/user_error.h"

namespace eutectic {

namespace fs = std::filesystem;
using nlohmann::json;

json common_task(const InputOptions &input, const std::vector<std::string> &inputs,
                 const std::vector<std::string> &externs, const std::string &target, int threads) {
    if (input.batch > 0) {
        throw UserError(
            "--batch makes another pipeline, and what is compared and timed is the one that was given: "
            "leave --batch and --over out.");
    }
    json task = {{"target", target},
                 {"threads", threads},
                 {"externs", json::array()},
                 {"arguments", json::object()},
                 {"keep_schedule", input.keep_schedule},
                 {"inputs", json::object()}};
    for (const std::string &library : externs) {
        task["externs"].push_back(fs::absolute(library).string());
    }
    for (const auto &[name, text] : named_texts(input.arguments, "--arg")) {
        task["arguments"][name] = text;
    }
    task["inputs"] = input_texts(inputs);
    return task;
}

Halide::Target runnable_target(const SchedulingOptions &scheduling, const std::string &command) {
    const std::vector<Halide::Target> asked = targets(scheduling);
    if (asked.size() != 1) {
        throw UserError(command + " was given " + std::to_string(asked.size()) +
                        " targets, and programs run on one: give one --target.");
    }
    require_runnable(asked.front());
    return asked.front();
}

int threads_of(const SchedulingOptions &scheduling) {
    return scheduling.parallelism > 0 ? scheduling.parallelism
                                      : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

namespace {

/** Half of this machine's memory, in MiB. */
int memory_limit() {
    std::ifstream file("/proc/meminfo");
    std::string word;
    long kilobytes = 0;
    file >> word >> kilobytes;
    return static_cast<int>(std::max(kilobytes / 1024 / 2, 1024L));
}

}  // namespace

ContestLimits settled(ContestLimits limits, const InputOptions &input, int processes) {
    limits.timeout = input.timeout > 0 ? input.timeout : limits.timeout;
    limits.memory = limits.memory > 0 ? limits.memory : memory_limit() / processes;
    return limits;
}

std::string cpu_name() {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);) {
        if (line.rfind("model name", 0) == 0) {
            return line.substr(line.find(':') + 2);
        }
    }
    return "unknown";
}

}  // namespace eutectic
