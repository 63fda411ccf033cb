// calibrate: measures this machine's rates for the cost model.

#include <cstdio>
#include <exception>

#include "apps/calibrate/calibrate.h"

int main(int argc, char **argv) {
    eutectic::CalibrateOptions options;
    CLI::App app("Measures this machine's rates for the cost model: caches, arithmetic, transcendentals, "
                 "parallel loops, allocation.",
                 "calibrate");
    eutectic::add_calibrate_options(app, options);
    app.footer("examples:\n  scripts/calibrate -o machine.json\n  scripts/calibrate --target "
               "x86-64-linux-avx2-fma --json\n  then: autoscheduler.machine=machine.json, or "
               "add_eutectic_library(... MACHINE machine.json)");
    CLI11_PARSE(app, argc, argv);
    try {
        eutectic::calibrate(options);
    } catch (const std::exception &e) {
        std::fprintf(stderr, "calibrate: %s\n", e.what());
        return 2;
    }
    return 0;
}
