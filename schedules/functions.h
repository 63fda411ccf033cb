#pragma once

#include <set>
#include <string>
#include <vector>

#include "Halide.h"

#include "machine/machine.h"
#include "schedules/autoschedule.h"

namespace eutectic {

/** Functions of a pipeline, named as in Halide's IR, that its schedule computes by other means than Halide
 * does: at the end, when the Funcs that it makes have taken over expressions, too. */
struct ReplacedFunctions {
    std::set<std::string> in_vectors;   ///< vectorize_functions() does
    std::set<std::string> approximate;  ///< approximate_functions() does
};

/** None where results must have the bits of the program as written. */
ReplacedFunctions functions_to_replace(const Halide::Pipeline &pipeline, const Halide::Target &target,
                                       Numerics numerics, const Parameters &p);

/** As sentences. */
std::vector<std::string> sentences_on(const ReplacedFunctions &functions);

/** A device with the instructions that its kernels get: those of approximate_functions(), if they are to
 * have them. */
Machine with_functions(Machine machine, const Halide::Target &target, const Parameters &p);

}  // namespace eutectic
