#pragma once

#include <map>
#include <string>

#include "Halide.h"

#include "schedules/hlpipe/load.h"

namespace eutectic {

/** Runs the scheduled pipeline once and writes the values of its Func `func`, which it computes at Root, as
 * an array of numpy's: the last axis is Halide's innermost dimension, and of a tuple every element has a
 * file, FILE.0.npy and so on. Inputs have their estimated sizes and values as in run_arguments.h (`sources`:
 * texts of --input by name). Throws UserError for a Func that is not there or not in memory as a whole, a
 * type that numpy lacks, and a path that cannot be written. */
void write_intermediate(LoadedPipeline &loaded, const Halide::Target &target, const std::string &func,
                        const std::string &path, const std::map<std::string, std::string> &sources);

}  // namespace eutectic
