#pragma once

// Further files that Halide writes of a kernel: --emit.

#include <CLI/CLI.hpp>

#include <map>
#include <string>
#include <vector>

#include "Halide.h"

namespace eutectic {

void add_emit_option(CLI::App &app, std::vector<std::string> &outputs);

/** Throws UserError for a word that is no output, and for what is written for one target alone. */
void check_outputs(const std::vector<std::string> &outputs, size_t targets);

/** The file of each as Halide is told it: `base` and an extension. */
std::map<Halide::OutputFileType, std::string> output_files(const std::vector<std::string> &outputs,
                                                           const std::string &base);

/** The files that are then there: with several targets, many outputs have one for each. */
std::vector<std::string> written_outputs(const std::vector<std::string> &outputs, const std::string &base,
                                         const std::vector<Halide::Target> &targets);

}  // namespace eutectic
