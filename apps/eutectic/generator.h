#pragma once

#include <string>
#include <vector>

namespace eutectic {

/** One generator of a generator executable, with its parameters: the complete input. */
struct GeneratorCall {
    std::string executable, name;
    std::vector<std::string> parameters;  ///< "m=64"
};

/** Runs the generator for `target` with the scheduler's plugin, which writes the pipeline to `path` (.hlpipe)
 * and its arguments beside it; the order of these and the function's name come from the metadata that the
 * generator emits. Throws UserError when it is no generator executable of this Halide, has no such generator
 * or parameter (with the nearest known one), or fails. */
void save_generator(const GeneratorCall &call, const std::string &target, const std::string &path);

}  // namespace eutectic
