#include "apps/calibrate/calibrate.h"

#include <Halide.h>

#include <unistd.h>

#include <cstdio>
#include <iostream>
#include <thread>

#include "apps/calibrate/libraries.h"
#include "base/user_error.h"
#include "base/write_whole.h"
#include "machine/measure.h"
#include "schedules/calibration/kernels.h"

namespace eutectic {

namespace {

std::string with_unit(double value, const std::string &unit, bool whole = false) {
    char text[64];
    std::snprintf(text, sizeof text, whole ? "%.12g %s" : "%.4g %s", value, unit.c_str());
    return text;
}

void print_roofline(const Machine &m) {
    std::printf("\nmultiply-adds of float32 on all cores: at most %.4g GFLOP/s\n", peak_flops(m) / 1e9);
    std::printf("\nroofline    %10s  %s\n", "GB/s", "reaches that from");
    for (const RooflineLevel &level : roofline(m)) {
        std::printf("%-11s %10.4g  %.3g FLOP/byte\n", level.name, level.bytes_per_second / 1e9,
                    peak_flops(m) / level.bytes_per_second);
    }
}

void print_table(const Calibration &c) {
    std::printf("%s (%s), %s\n\n", c.machine.name.c_str(), c.target.c_str(), c.date.c_str());
    for (const MachineField &f : machine_fields()) {
        const auto spread = c.spreads.find(f.key);
        char noise[32] = "";
        if (spread != c.spreads.end()) {
            std::snprintf(noise, sizeof noise, " +%.0f %%", 100 * spread->second);
        }
        std::printf("%-27s %-18s %-8s%-7s %s\n", f.key, with_unit(f.get(c.machine), f.unit, f.whole).c_str(),
                    to_string(c.origins.at(f.key)), noise, f.what);
    }
    for (const LibraryRates &rates : c.libraries) {
        std::printf("%-27s %s\n", "library", to_string(rates).c_str());
    }
    std::printf("\nalso measured\n");
    for (const Rate &r : c.also) {
        std::printf("%-27s %s\n", r.key.c_str(), with_unit(r.value, r.unit).c_str());
    }
    print_roofline(c.machine);
}

/** Before half a minute is spent; an empty path is none. */
void check_writable(const std::string &what, const std::string &path) {
    if (!path.empty()) {
        require_writable(what, path);
    }
}

/** A line for each step, or on a terminal one bar that grows. */
void show_progress(const std::string &what, int done, int of) {
    if (!isatty(STDERR_FILENO)) {
        std::fprintf(stderr, "[%d/%d] %s\n", done + 1, of, what.c_str());
        return;
    }
    const int width = 30, filled = width * done / of;
    std::fprintf(stderr, "\r\033[K[%s%s] %d/%d %s", std::string(static_cast<size_t>(filled), '#').c_str(),
                 std::string(static_cast<size_t>(width - filled), '.').c_str(), done + 1, of, what.c_str());
}

Halide::Target parse_target(const std::string &name) {
    if (!Halide::Target::validate_target_string(name)) {
        throw UserError("The target " + name +
                        " is not one that Halide knows: give one such as host or x86-64-linux-avx2-fma.");
    }
    return Halide::Target(name);
}

}  // namespace

void add_calibrate_options(CLI::App &app, CalibrateOptions &options) {
    app.add_option("-o,--output", options.output,
                   "write the machine file here, for autoscheduler.machine=FILE")
        ->type_name("FILE");
    app.add_option("--plot", options.plot, "draw the roofline here")->type_name("FILE.svg");
    app.add_option("--target", options.target, "the Halide target whose vectors are measured (default: host)")
        ->type_name("TARGET");
    app.add_option("--threads", options.threads, "threads of parallel loops (default: all)")
        ->type_name("N")
        ->check(CLI::Range(1, 4096));
    CLI::Option *library = app.add_option("--library", options.libraries,
                                          "measure libraries of products, too, for library=NAME: those "
                                          "named, or all that this build has")
                               ->type_name("NAME,NAME")
                               ->delimiter(',')
                               ->expected(0, -1);
    app.parse_complete_callback([&options, library] { options.measure_libraries = library->count() > 0; });
    app.add_flag("--json", options.json, "print the machine file instead of a table");
    app.add_flag("--quick", options.quick, "a rough look: some seconds less, less reliable");
}

void calibrate(const CalibrateOptions &options) {
    const Halide::Target target = parse_target(options.target);
    const std::vector<LinkedLibrary> measured =
        options.measure_libraries ? linked_libraries(options.libraries) : std::vector<LinkedLibrary>();
    check_writable("machine file", options.output);
    check_writable("roofline", options.plot);
    const int threads =
        options.threads > 0 ? options.threads : static_cast<int>(std::thread::hardware_concurrency());
    setenv("HL_NUM_THREADS", std::to_string(threads).c_str(), 1);
    double load = 0;
    if (getloadavg(&load, 1) == 1 && load > 0.5 * threads) {
        std::fprintf(stderr,
                     "other programs keep this machine busy (load %.1f): rates of memory and of parallel "
                     "loops will be too low\n",
                     load);
    }
    std::fprintf(stderr, "compiling kernels\n");
    const MachineKernels kernels = machine_kernels(target, threads);
    MeasureOptions how;
    how.seconds_per_probe = options.quick ? 0.01 : MeasureOptions().seconds_per_probe;
    how.progress = show_progress;
    Calibration calibration = measure_machine(kernels, how);
    for (const LinkedLibrary &linked : measured) {
        std::fprintf(stderr, "measuring %s\n", to_string(linked.library));
        calibration.libraries.push_back(measure_library(linked, calibration.machine, how.seconds_per_probe));
    }
    std::fprintf(stderr, isatty(STDERR_FILENO) ? "\r\033[Kmeasured in %.1f s\n" : "measured in %.1f s\n",
                 calibration.seconds);
    if (!options.output.empty()) {
        write_whole("machine file", options.output, to_json(calibration));
    }
    if (!options.plot.empty()) {
        write_whole("roofline", options.plot, roofline_svg(calibration.machine));
    }
    if (options.json) {
        std::cout << to_json(calibration);
    } else {
        print_table(calibration);
    }
}

}  // namespace eutectic
