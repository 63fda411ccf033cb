#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

#include "machine/machine.h"

namespace eutectic {

struct CalibrateOptions {
    std::string output, plot, target = "host";
    int threads = 0;  ///< 0: all
    bool json = false, quick = false;
    bool measure_libraries = false;
    std::vector<std::string> libraries;  ///< to measure; empty: all that there are
};
void add_calibrate_options(CLI::App &app, CalibrateOptions &options);

/** Measures this machine: the table or the JSON goes to standard output, progress to standard error, the
 * machine file to `output`, its roofline to `plot`. Throws UserError. */
void calibrate(const CalibrateOptions &options);

/** One bound of float32 multiply-adds: the bytes that a level gives, all cores together. */
struct RooflineLevel {
    const char *name;
    double bytes_per_second;
};
/** The levels of `machine`, fastest first. (S. Williams, A. Waterman, D. Patterson, "Roofline: an insightful
 * visual performance model for multicore architectures", CACM 2009.) */
std::vector<RooflineLevel> roofline(const Machine &machine);
/** Operations a second that arithmetic alone allows. */
double peak_flops(const Machine &machine);
/** Attainable operations a second over operations a byte, on two logarithmic axes, as SVG. */
std::string roofline_svg(const Machine &machine);

}  // namespace eutectic
