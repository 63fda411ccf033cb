#pragma once

// Functions that pack what a kernel takes in panels, compiled with it.

#include <string>
#include <vector>

#include "Halide.h"

#include "schedules/hlpipe/load.h"
#include "schedules/packed_inputs.h"

namespace eutectic {

/** Adds to `kernel`, the function `name` of `loaded`, for each of `packed` NAME_pack_INPUT. */
void add_packing(const std::string &name, const LoadedPipeline &loaded,
                 const std::vector<PackedArgument> &packed, const Halide::Target &target,
                 Halide::Module &kernel);

/** The function's arguments, in panels where the scheduled pipeline takes these. Throws UserError where it
 * asks for sizes of what it takes so. */
std::vector<Halide::Argument> arguments_in_panels(const LoadedPipeline &loaded,
                                                  const std::vector<PackedArgument> &packed);

/** What the header says of them: how each lies, and a C function that tells the sizes. */
std::string packing_declarations(const std::string &base, const std::vector<PackedArgument> &packed);

}  // namespace eutectic
