#pragma once

#include "apps/digits/data.h"
#include "apps/digits/split.h"

#include <string>

namespace eutectic::digits {

/// The fused kernels of a step against the unfused ones: first whether they agree, then how long a step
/// takes.
struct Comparison {
    double difference = 0;  ///< largest |fused − unfused| over the loss and all gradients, as the first
                            ///< moments have them, relative to the tensor's largest magnitude
    double fused_seconds = 0,
           unfused_seconds =
               0;  ///< a training step of one planned batch: forward, backward, Adam; minimum over rounds

    bool agrees() const {
        return difference <= 1e-4;
    }
};

/// `device`: where they run, "cpu" or another. Both start from the weights that `weights` draws and take one
/// batch of these lines. Not timed unless they agree; timed interleaved, `rounds` steps each.
Comparison compare_steps(const Digits &data, const std::vector<int> &lines, const Random &weights, int rounds,
                         const std::string &device);

}  // namespace eutectic::digits
