#pragma once

// What tells one pair's interface from another's.

#include "autodiff/contract/contract.h"

#include <string>

namespace eutectic {

/// 16 hexadecimal digits: of the arguments of both functions as callers know them, in their order, with types
/// and dimensions, of the sizes of outputs, of what is differentiated, and of whether gradients are added.
/// Not of what is kept and what the backward reads: it is the same for every budget, effort and target.
std::string contract_hash(const Contract &contract);

}  // namespace eutectic
