#pragma once

// What a forward and its backward have agreed on, as plain data: the arguments of both, and the tensors that
// go from one to the other with their shapes in terms of the arguments. header.h writes it for callers.

#include "autodiff/differentiate.h"

#include <Halide.h>

#include <string>
#include <vector>

namespace eutectic {

/// One argument of the compiled function, as callers know it.
struct ContractArgument {
    std::string name;
    Halide::Type type;
    int dimensions = 0;
    bool is_buffer = true;
    bool is_output = false;
    bool is_read = true;  // false: a buffer that the backward takes and does not look at: it may be null
};

/// A tensor that the forward writes and the backward reads. The ends of `region` are as sizes.h writes them:
/// in the backward's arguments where they mention an upstream gradient, and otherwise in sizes and scalars of
/// the inputs.
struct ContractResidual {
    Residual info;
    Halide::Type type;
    SymbolicRegion region;
    SymbolicRegion in_forward;  // the same in the forward's arguments
    SymbolicRegion in_inputs;  // the same in the inputs, as far as outputs have the sizes that the inputs say
};

/// An output, and its size in terms of the inputs, as far as they tell.
struct ContractOutput {
    std::string name;
    std::vector<std::string> extents;  // innermost first: "x.extent(1)"; of its own name where no input tells
    bool differentiated = false;       // has it an upstream gradient
};

struct Contract {
    std::vector<ContractArgument> forward;  // inputs and outputs, without residuals, which follow them
    /// As callers pass them: all inputs, all outputs, upstream gradients, gradients, whatever is read of
    /// them, and then the residuals, the only part that a budget changes.
    std::vector<ContractArgument> backward;
    std::vector<ContractResidual> residuals;
    std::vector<ContractOutput> outputs;
    bool user_context = false;  // both take one first
    bool accumulates = false;   // gradients are added to what their buffers hold
};

/// `result` is differentiate(problem). Fills in residual.info.extents.
Contract contract_of(const DifferentiationProblem &problem, const Differentiated &result);

/// Of each argument of the backward as a Halide pipeline has them, what it writes last, which of those that
/// callers pass it is: inputs, outputs, upstream gradients, residuals, the gradients' buffers where these are
/// added to what they hold, gradients.
std::vector<size_t> pipeline_arguments(const Contract &contract);

/// The outputs of `problem` as the backward takes them, those that it does not read included.
std::vector<Halide::ImageParam> outputs_taken(const DifferentiationProblem &problem,
                                              const Differentiated &result);

/// Where the dimensions of a region begin, innermost first, as texts for people: "0", "y.min(1) - 1".
std::vector<std::string> mins_of(const SymbolicRegion &region);

/// The rows of the table of residuals, as reports print them.
std::vector<Residual> residual_rows(const Contract &contract);

}  // namespace eutectic
