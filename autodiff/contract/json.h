#pragma once

// The contract as JSON, NAME.report.json of a pair: all that a program needs that has not been compiled with
// the pair's headers, as a framework that calls it by name.

#include "autodiff/contract/contract.h"
#include "autodiff/residuals/choice/residual.h"

#include <string>
#include <vector>

namespace eutectic {

/// Keys: version (1), pair (its name, C++ namespaces included), contract (contract_hash()), files; forward
/// and backward, the names of the arguments of both in their order; unread, those that the backward takes and
/// does not look at, which may be null; accumulates: does it add gradients to what their buffers hold;
/// arguments, of both, each once (name; type, "float32" or "bool"; dimensions, of a buffer only); inputs,
/// outputs (name; extents, innermost first, in terms of the inputs, "x.extent(1)", of its own name where no
/// input tells; differentiated: has the backward an upstream gradient of it), gradients (names of the inputs
/// that the backward has a gradient d_INPUT of); those of residual_json(), whose residuals have also mins,
/// where each dimension begins, in terms of the inputs and outputs. `files`: those that hold the code,
/// relative to the report. Ends with a line feed.
std::string contract_json(const Contract &contract, const ResidualReport &residuals, const std::string &pair,
                          const std::vector<std::string> &files);

}  // namespace eutectic
