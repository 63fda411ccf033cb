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

struct Contract {
    std::vector<ContractArgument> forward;   // inputs and outputs, without residuals, which follow them
    std::vector<ContractArgument> backward;  // as the function takes them, residuals included
    std::vector<ContractResidual> residuals;
    bool user_context = false;  // both take one first
};

/// `result` is differentiate(problem). Fills in residual.info.extents.
Contract contract_of(const DifferentiationProblem &problem, const Differentiated &result);

/// The rows of the table of residuals, as reports print them.
std::vector<Residual> residual_rows(const Contract &contract);

}  // namespace eutectic
