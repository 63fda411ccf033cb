// gpu_checks: the kernels of all generators and their gradients on this machine's device, at every size of
// tests/numerics, against scalar loops in double on the CPU.

#include "base/process.h"
#include "device/device.h"
#include "tests/gpu/checks/checks.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include <nlohmann/json.hpp>

using namespace eutectic::numerics;

namespace {

struct Options {
    std::string device = "auto", json;
    std::vector<std::string> only;
    bool list = false, child = false;
};

std::string name_of(int device) {
    return device == eutectic_cuda ? "cuda" : device == eutectic_opencl ? "opencl" : "cpu";
}

/// In a process of its own: a kernel that ends it, or leaves the device's context useless, is one wrong row.
Checked check_apart(const std::string &name, const std::string &device) {
    constexpr double limit = 600;  // seconds; the longest takes one on a CPU through OpenCL
    const eutectic::Finished child =
        eutectic::run_process({std::filesystem::read_symlink("/proc/self/exe").string(), "--child",
                               "--device", device, "--only", name},
                              limit);
    if (child.failure.empty()) {
        return checked_from_json(nlohmann::json::parse(child.output));
    }
    Checked row;
    row.name = name;
    row.failures = {child.failure};
    return row;
}

int run(const Options &options) {
    if (options.list) {
        for (const NamedSubject &s : named_subjects()) {
            std::printf("%s\n", s.name);
        }
        return 0;
    }
    for (const std::string &name : options.only) {
        const auto &all = named_subjects();
        if (std::none_of(all.begin(), all.end(), [&](const NamedSubject &s) { return s.name == name; })) {
            std::fprintf(
                stderr, "gpu_checks: --only was given '%s', and there is no such check; --list lists them.\n",
                name.c_str());
            return 2;
        }
    }
    if (eutectic_use_device(options.device.c_str()) != 0) {
        std::fprintf(stderr, "gpu_checks: --device %s: %s\n", options.device.c_str(), eutectic_last_error());
        return 2;
    }
    const std::string device =
        name_of(eutectic_device_for(eutectic_cpu | eutectic_opencl | eutectic_cuda, 75));
    if (options.child) {
        for (const NamedSubject &s : named_subjects()) {
            if (s.name == options.only.at(0)) {
                std::printf("%s\n", to_json(check(s)).dump().c_str());
            }
        }
        return 0;
    }
    std::vector<Checked> rows;
    size_t wrong = 0;
    for (const NamedSubject &s : named_subjects()) {
        if (!options.only.empty() &&
            std::find(options.only.begin(), options.only.end(), s.name) == options.only.end()) {
            continue;
        }
        rows.push_back(check_apart(s.name, options.device));
        const Checked &row = rows.back();
        wrong += row.is_right() ? 0 : 1;
        std::printf("%-28s %s: %s, %zu sizes, %.1f s\n", row.name.c_str(), device.c_str(),
                    row.is_right() ? "right" : "WRONG", row.sizes, row.seconds);
        for (const std::string &failure : row.failures) {
            std::printf("    %s\n", failure.c_str());
        }
        std::fflush(stdout);
    }
    std::printf("%zu of %zu right on %s\n", rows.size() - wrong, rows.size(), device.c_str());
    if (!options.json.empty()) {
        std::ofstream file(options.json);
        file << to_json(device, rows).dump(2) << "\n";
        if (!file.flush()) {
            std::fprintf(stderr,
                         "gpu_checks: --json was given '%s', which cannot be written; name another file.\n",
                         options.json.c_str());
            return 2;
        }
    }
    return wrong > 0 ? 1 : 0;
}

}  // namespace

int main(int argc, char **argv) {
    Options options;
    CLI::App app("Runs the kernels of all generators and their gradients on this machine's device, at odd "
                 "and tiny sizes and at those that they are planned for,\n"
                 "and compares with scalar loops in double on the CPU.",
                 "gpu_checks");
    app.add_option("--device", options.device,
                   "where: auto is the first of cuda, opencl (no CPU) and cpu that can be used")
        ->type_name("auto|cuda|opencl|cpu")
        ->check(CLI::IsMember({"auto", "cuda", "opencl", "cpu"}))
        ->capture_default_str();
    app.add_option("--only", options.only, "these checks only")->type_name("NAME");
    app.add_option("--json", options.json, "write the results to this file, too")->type_name("FILE");
    app.add_flag("--list", options.list, "print the names of the checks, and do no more");
    app.add_flag("--child", options.child)->group("");
    app.footer("examples:\n  gpu_checks\n  gpu_checks --device opencl --only softmax layernorm\n  gpu_checks "
               "--json checks.json\n\nexit status: 0 all right, 1 something is wrong, 2 a wrong argument or "
               "a device that cannot be used");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError &error) {
        return app.exit(error) == 0 ? 0 : 2;
    }
    try {
        return run(options);
    } catch (const std::exception &error) {
        std::fprintf(stderr, "gpu_checks: %s\n", error.what());
        return 1;
    }
}
