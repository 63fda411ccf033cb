#pragma once

// Residuals in the shapes that a contract says, without a compiler for its header.

#include "autodiff/contract/contract.h"

#include <Halide.h>

#include <map>
#include <string>

namespace eutectic::test {

/// A buffer for `residual`, by the forward's arguments: buffers, outputs included, and scalars. Throws
/// std::runtime_error where the contract does not say a number, or cannot be written.
Halide::Buffer<> allocate(const ContractResidual &residual,
                          const std::map<std::string, Halide::Buffer<>> &buffers,
                          const std::map<std::string, Halide::Expr> &scalars);

}  // namespace eutectic::test
