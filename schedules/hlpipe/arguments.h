#pragma once

// What load.cpp does with the arguments of a pipeline that it read.

#include <map>
#include <string>
#include <vector>

#include "Halide.h"

#include "schedules/hlpipe/sidecar.h"

namespace eutectic {

/** One buffer that a pipeline fills: an element of an output Func's tuple. */
struct OutputBuffer {
    Halide::Parameter parameter;
    Halide::Func func;
    std::string name;  ///< as callers know it
};

/** The arguments of one loaded pipeline. Parameters are handles: setting something on one sets it in the
 * pipeline. */
struct Arguments {
    std::map<std::string, Halide::Parameter> parameters;  ///< the inputs that the pipeline reads
    std::vector<OutputBuffer> outputs;
};

/** Finds them, and takes them off the list of inputs, on which the file has those whose sizes the pipeline
 * reads. */
void find_outputs(const Halide::Pipeline &pipeline, Arguments &arguments);

/** Gives buffers the estimates of the Funcs that wrap them, where they have none of their own. */
void restore_from_wrappers(const Halide::Pipeline &pipeline);

/** Sets what the arguments file says. Throws UserError naming `file` where it does not fit the pipeline. */
void restore(const Sidecar &sidecar, const std::string &file, Arguments &arguments);

/** Sets what a user gave by name, over everything else. Throws UserError for an unknown name or a value that
 * does not fit. */
void give(const std::map<std::string, std::string> &values, const std::string &path, Arguments &arguments);

/** The inputs as a function takes them: in the order of the arguments file, with those that the pipeline does
 * not read; or by name, if there is none. */
std::vector<Halide::Argument> inputs_in_order(const Sidecar &sidecar, const std::string &file,
                                              const Arguments &arguments);

/** Names of those of which some size or value to plan for is unknown. */
std::vector<std::string> without_estimate(const Arguments &arguments);

/** Throws UserError: "`subject` no argument of `path`: …", with the nearest of the `known` names. */
[[noreturn]] void refuse_name(const std::string &subject, const std::string &path, const std::string &name,
                              const std::vector<std::string> &known);

}  // namespace eutectic
