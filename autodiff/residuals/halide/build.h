#pragma once

// The residual graph of a differentiated pipeline: what the backward reads, and for each of these values, and
// of what they come from, the ways to have it there.

#include "autodiff/residuals/choice/budget.h"
#include "autodiff/residuals/choice/options.h"
#include "autodiff/residuals/halide/conditions.h"
#include "autodiff/tape.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace eutectic {

/// What a value of the graph is in the pipeline: a forward Func's element, or what a placeholder stands for.
struct ValueOrigin {
    Halide::Internal::Function of;
    int element = 0;
    std::string made;       // the placeholder of a made residual
    std::string condition;  // the placeholder of a condition
    /// Where a recipe of the value computes it back.
    std::optional<Invertible> inverse;
};

/// What the graph is made from. `order` is the forward, `outputs` its outputs' Funcs -> the names that their
/// caller knows.
struct ResidualProblem {
    Tape &tape;
    const std::vector<Halide::Func> &gradients;
    const std::vector<Halide::Internal::Function> &order;
    const std::map<Element, std::string> &outputs;
    const std::map<std::string, ForwardCondition> &conditions;
    const std::map<std::string, SymbolicRegion> &backward_regions;  // of the backward's Funcs, by name
    const ResidualOptions &options;
};

struct BuiltGraph {
    ResidualGraph graph;
    std::vector<ValueOrigin> sources;  // by value
    std::map<Element, int> of_element;
    std::map<std::string, int> of_placeholder;
};

/// Values: the forward Funcs that what is read comes from, producers first, then made residuals and
/// conditions. Sizes are at the estimates; where one is missing, a dimension is taken to have 512 points, and
/// the graph says so.
BuiltGraph build_residual_graph(const ResidualProblem &problem);

}  // namespace eutectic
