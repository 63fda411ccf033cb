#include "apps/eutectic/contest_task.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "apps/eutectic/run_arguments.h"
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

int memory_limit() {
    std::ifstream file("/proc/meminfo");
    std::string word;
    long kilobytes = 0;
    file >> word >> kilobytes;
    return static_cast<int>(std::max(kilobytes / 1024 / 2, 1024L));
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
