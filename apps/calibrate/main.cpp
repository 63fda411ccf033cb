// calibrate: measures this machine's rates for the cost model.

#include <Halide.h>

#include <CLI/CLI.hpp>

#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <iostream>
#include <thread>

#include "base/user_error.h"
#include "machine/measure.h"
#include "schedules/calibration/kernels.h"

namespace eutectic {

namespace {

struct Options {
    std::string output, target = "host";
    int threads = 0;
    bool json = false, quick = false;
};

std::string with_unit(double value, const std::string &unit, bool whole = false) {
    char text[64];
    std::snprintf(text, sizeof text, whole ? "%.12g %s" : "%.4g %s", value, unit.c_str());
    return text;
}

void print_table(const Calibration &c) {
    std::printf("%s (%s), %s\n\n", c.machine.name.c_str(), c.target.c_str(), c.date.c_str());
    for (const MachineField &f : machine_fields()) {
        const auto spread = c.spreads.find(f.key);
        char noise[32] = "";
        if (spread != c.spreads.end()) {
            std::snprintf(noise, sizeof noise, " +%.0f %%", 100 * spread->second);
        }
        std::printf("%-24s %-18s %-8s%-7s %s\n", f.key, with_unit(f.get(c.machine), f.unit, f.whole).c_str(), to_string(c.origins.at(f.key)), noise, f.what);
    }
    std::printf("\nalso measured\n");
    for (const Rate &r : c.also) {
        std::printf("%-24s %s\n", r.key.c_str(), with_unit(r.value, r.unit).c_str());
    }
    const Machine &m = c.machine;
    const double peak = m.cores * m.hertz * m.vector_ops_per_cycle * 2 * m.lanes(4);
    std::printf("\nmultiply-adds of float32 on all cores: at most %.4g GFLOP/s\n", peak / 1e9);
}

void write(const std::string &path, const std::string &text) {
    std::ofstream file(path);
    file << text;
    if (!file.flush()) {
        throw UserError("The machine file cannot be written to " + path + ": check that its folder exists, is writable and has room.");
    }
}

Halide::Target parse_target(const std::string &name) {
    if (!Halide::Target::validate_target_string(name)) {
        throw UserError("The target " + name + " is not one that Halide knows: give one such as host or x86-64-linux-avx2-fma.");
    }
    return Halide::Target(name);
}

void run(const Options &options) {
    const int threads = options.threads > 0 ? options.threads : static_cast<int>(std::thread::hardware_concurrency());
    setenv("HL_NUM_THREADS", std::to_string(threads).c_str(), 1);
    double load = 0;
    if (getloadavg(&load, 1) == 1 && load > 0.5 * threads) {
        std::fprintf(stderr, "other programs keep this machine busy (load %.1f): rates of memory and of parallel loops will be too low\n", load);
    }
    std::fprintf(stderr, "compiling kernels\n");
    const MachineKernels kernels = machine_kernels(parse_target(options.target), threads);
    MeasureOptions how;
    how.seconds_per_probe = options.quick ? 0.01 : MeasureOptions().seconds_per_probe;
    how.progress = [](const std::string &what, int done, int of) { std::fprintf(stderr, "[%d/%d] %s\n", done + 1, of, what.c_str()); };
    const Calibration calibration = measure_machine(kernels, how);
    std::fprintf(stderr, "measured in %.1f s\n", calibration.seconds);
    if (!options.output.empty()) {
        write(options.output, to_json(calibration));
    }
    if (options.json) {
        std::cout << to_json(calibration);
    } else {
        print_table(calibration);
    }
}

}  // namespace

}  // namespace eutectic

int main(int argc, char **argv) {
    eutectic::Options options;
    CLI::App app("Measures this machine's rates for the cost model: caches, arithmetic, transcendentals, parallel loops, allocation.", "calibrate");
    app.add_option("-o,--output", options.output, "write the machine file here, for autoscheduler.machine=FILE")->type_name("FILE");
    app.add_option("--target", options.target, "the Halide target whose vectors are measured (default: host)")->type_name("TARGET");
    app.add_option("--threads", options.threads, "threads of parallel loops (default: all)")->type_name("N")->check(CLI::Range(1, 4096));
    app.add_flag("--json", options.json, "print the machine file instead of a table");
    app.add_flag("--quick", options.quick, "a rough look: some seconds less, less reliable");
    app.footer("examples:\n  scripts/calibrate -o machine.json\n  scripts/calibrate --target x86-64-linux-avx2-fma --json\n  then: autoscheduler.machine=machine.json, or add_eutectic_library(... MACHINE machine.json)");
    CLI11_PARSE(app, argc, argv);
    try {
        eutectic::run(options);
    } catch (const std::exception &e) {
        std::fprintf(stderr, "calibrate: %s\n", e.what());
        return 2;
    }
    return 0;
}
