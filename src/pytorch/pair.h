#pragma once

/// A forward and its backward as data: what add_eutectic_library(... TORCH) writes of the report
/// NAME.report.json, and what operation.h makes an operation of PyTorch of. Everything is called by its name
/// in the report.

#include <functional>
#include <map>
#include <string>
#include <vector>

#include <c10/core/ScalarType.h>

#include "pytorch/size.h"

struct halide_filter_metadata_t;

namespace eutectic::pytorch {

/// What an argument of a compiled function that is a number has in place of dimensions.
constexpr int is_number = -1;

struct Argument {
    std::string name;
    c10::ScalarType type;
    int dimensions;  ///< or is_number
};

/// The sizes of a buffer, innermost dimension first, as functions of what is known.
using Extents = std::function<std::vector<Size>(const Known &)>;

/// What a forward writes.
struct Made {
    std::string name;
    Extents extents;
    Extents mins;         ///< where Halide counts each dimension from; none: from 0
    bool differentiated;  ///< an output whose gradient the backward takes
};

struct Pair {
    std::string name;  ///< of the operation
    /// The compiled functions that take an array of pointers.
    int (*forward)(void **);
    int (*backward)(void **);
    /// What those say of themselves.
    const halide_filter_metadata_t *(*forward_metadata)();
    const halide_filter_metadata_t *(*backward_metadata)();
    /// Of both, each once.
    std::vector<Argument> arguments;
    /// In the order of the compiled functions.
    std::vector<std::string> forward_arguments, backward_arguments;
    std::vector<std::string> unread;  ///< by the backward, which takes them all the same
    /// As callers give them.
    std::vector<std::string> inputs;
    std::vector<Made> outputs, residuals;
    /// Inputs that have a gradient, which the backward gives as d_INPUT.
    std::vector<std::string> gradients;
};

}  // namespace eutectic::pytorch
