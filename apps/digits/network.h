#pragma once

#include "apps/support/random.h"

#include <HalideBuffer.h>

#include <string>
#include <vector>

namespace eutectic::digits {

using Floats = Halide::Runtime::Buffer<float>;

/// A tensor that training changes, with the two moments that Adam keeps of its gradient. Dimensions are innermost first, as Halide has
/// them: w1 is 256 outputs × 64 inputs.
struct Parameter {
    std::string name;
    Floats value, gradient, first_moment, second_moment;

    Parameter(std::string name, const std::vector<int> &extents);
};

/// Parameters w1, b1, w2, b2, … of a multilayer perceptron.
struct Network {
    std::vector<Parameter> parameters;
    int steps = 0;  ///< updates so far; Adam's bias correction needs it

    /// `widths` from input to output. Weights are He initialised: uniform in ±sqrt(6 / inputs), variance 2 / inputs (K. He et al., "Delving
    /// deep into rectifiers", 2015), which takes no more than a square root, so that every platform starts alike. Biases are 0.
    Network(const std::vector<int> &widths, Random &random);
};

}  // namespace eutectic::digits
