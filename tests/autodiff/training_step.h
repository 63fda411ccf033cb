#pragma once

// A network's forward and backward, scheduled and compiled in the process, with every byte counted that they
// ask halide_malloc for.

#include "networks.h"

#include <Halide.h>

#include <vector>

namespace eutectic::test {

/// What one forward and one backward take.
struct Measured {
    Bytes residuals = 0;                        // of the buffers that go from one to the other
    Bytes forward_peak = 0, backward_peak = 0;  // of halide_malloc
    double forward_seconds = 1e9, backward_seconds = 1e9;

    Bytes peak() const {
        return residuals + std::max(forward_peak, backward_peak);
    }
    double seconds() const {
        return forward_seconds + backward_seconds;
    }
};

/// Both passes, compiled: scheduled by Eutectic for `threads` threads.
class TrainingStep {
public:
    TrainingStep(const Network &network, int threads);
    /// Runs each pass once; seconds are the least so far.
    void run();
    const Measured &measured() const {
        return measured_;
    }

private:
    struct Pass {
        Halide::Pipeline pipeline;
        std::vector<Halide::Buffer<>> outputs;
    };
    void run(Pass &pass, Bytes &peak, double &seconds);

    Network network_;  // holds the inputs' buffers
    Differentiated differentiated_;
    Pass forward_, backward_;
    Measured measured_;
};

}  // namespace eutectic::test
