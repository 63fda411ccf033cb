#pragma once

#include "apps/photo/kernels.h"
#include "apps/support/random.h"

#include <cstdint>
#include <vector>

namespace eutectic::photo {

struct Schedule {
    int steps = 200;
    int window =
        1024;  ///< pixels each way that a step looks at, drawn anew; a smaller picture is taken whole
    double rate = 0.04;  ///< of the first steps; it falls along a cosine to a twentieth
    uint64_t seed = 1;   ///< draws the windows
};

/// Gradient descent by Adam (Kingma and Ba, ICLR 2015) from the parameters that change nothing.
class Trainer {
public:
    /// `in` and `target` are of one size and live on; so do the kernels.
    Trainer(Kernels &kernels, Floats &in, Floats &target, const Schedule &schedule);

    /// One step; gives the mean squared difference before it.
    double step();

    Parameters &parameters() {
        return parameters_;
    }

    /// As much of a picture of that size as a step looks at, from the left and the top.
    Floats first_window(const Floats &picture) const {
        return window_of(picture, 0, 0);
    }

private:
    /// The part of a picture that the next step looks at; its pixels count from 0.
    Floats window_of(const Floats &picture, int x, int y) const;

    Kernels &kernels_;
    Floats &in_, &target_;
    const Schedule schedule_;
    Random random_;
    Parameters parameters_ = Parameters::identity(), gradients_;
    std::vector<double> first_, second_;  // moments of all numbers, one tensor after the other
    int steps_ = 0;
};

}  // namespace eutectic::photo
