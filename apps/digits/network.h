#pragma once

#include "apps/support/random.h"

#include <HalideBuffer.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace eutectic::digits {

using Floats = Halide::Runtime::Buffer<float>;

/// What the device wrote, if it did, is on the host from now on. Throws std::runtime_error if that fails.
template<typename Buffer>
void to_host(Buffer &buffer) {
    if (buffer.copy_to_host() != 0) {
        throw std::runtime_error("what the device computed could not be copied back");
    }
}

/// What is on the device alone is not wanted any more: it may be freed.
template<typename Buffer>
void forget_device(Buffer &buffer) {
    buffer.set_device_dirty(false);
}

/// A tensor that training changes, with the two moments that Adam keeps of its gradient. Dimensions are
/// innermost first, as Halide has them: w1 is 256 outputs × 64 inputs.
struct Parameter {
    std::string name;
    Floats value, gradient, first_moment, second_moment;

    Parameter(std::string called, const std::vector<int> &extents);
    Parameter(Parameter &&) = default;
    ~Parameter();
};

/// Parameters w1, b1, w2, b2, … of a multilayer perceptron.
struct Network {
    std::vector<Parameter> parameters;
    int steps = 0;  ///< updates so far; Adam's bias correction needs it

    /// `widths` from input to output. Weights are He initialised: uniform in ±sqrt(6 / inputs), variance 2 /
    /// inputs (K. He et al., "Delving deep into rectifiers", 2015), which takes no more than a square root,
    /// so that every platform starts alike. Biases are 0.
    Network(const std::vector<int> &widths, Random &random);
};

}  // namespace eutectic::digits
