#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace eutectic {

struct CalibrateOptions {
    std::string output, target = "host";
    int threads = 0;  ///< 0: all
    bool json = false, quick = false;
};
void add_calibrate_options(CLI::App &app, CalibrateOptions &options);

/** Measures this machine: the table or the JSON goes to standard output, progress to standard error, the machine file to `output`. Throws UserError. */
void calibrate(const CalibrateOptions &options);

}  // namespace eutectic
