#pragma once

// What is asked for, by name: which inputs a gradient is wanted of, and which outputs are differentiated.

#include "autodiff/differentiate.h"

#include <set>
#include <string>
#include <vector>

namespace eutectic {

/// Names of the inputs whose gradients are wanted: those of gradient_wrt, or all buffers of a floating-point
/// type. Throws UserError for a name that is there twice, or that has no gradient.
std::vector<std::string> inputs_asked_for(const DifferentiationProblem &problem);

/// Those of them, `wrt`, that are scalars.
std::set<std::string> scalars_asked_for(const DifferentiationProblem &problem,
                                        const std::vector<std::string> &wrt);

/// Names of the Funcs of the outputs.
std::set<std::string> output_funcs(const DifferentiationProblem &problem);

/// Throws UserError unless the outputs of gradient_of exist and have gradients.
void check_outputs(const DifferentiationProblem &problem);

}  // namespace eutectic
