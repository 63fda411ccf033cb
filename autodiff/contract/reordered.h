#pragma once

// NAME_backward with its arguments in the order in which callers pass them, in front of a kernel that has
// them as Halide does, what it writes last: for code that comes out of a generator's run. (eutectic grad,
// which has the module at hand, changes the order there.)

#include "autodiff/contract/contract.h"

#include <string>

namespace eutectic {

/// What the kernel behind NAME_backward is called: NAME_backward_kernel.
std::string kernel_name(const std::string &function);

/// NAME_backward.h: the table of residuals, the function, NAME_backward_argv() and NAME_backward_metadata(),
/// as Halide's own headers have them. `pair`: its name.
std::string reordered_header(const Contract &contract, const std::string &pair);

/// C++ that defines what that header declares; it includes it, and the kernel's.
std::string reordered_source(const Contract &contract, const std::string &pair);

}  // namespace eutectic
