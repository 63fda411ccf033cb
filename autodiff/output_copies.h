#pragma once

// Outputs that are copies: y(i, j) = c(i, j).

#include "autodiff/bounds.h"
#include "autodiff/differentiate.h"
#include "autodiff/tape.h"

#include <map>
#include <string>

namespace eutectic {

/// Has the backward read such an output, which it is passed, in place of what it is a copy of, where both
/// have the same points at the estimates of sizes. A scan, say, that is also a result is then not kept beside
/// it. (It goes over all its loop, whatever an output has of it: of a smaller output the backward is refused
/// by name.)
void read_outputs_for_copies(const DifferentiationProblem &problem,
                             const std::map<std::string, SymbolicRegion> &regions, Tape &tape);

}  // namespace eutectic
