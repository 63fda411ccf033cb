#pragma once

#include "apps/photo/kernels.h"

namespace eutectic::photo {

/// The fused kernels against the unfused ones: whether they agree, then how long each takes.
struct Comparison {
    double picture_difference = 0;  ///< the largest one between the restored photographs, of values of 0 to 1
    double gradient_difference = 0;  ///< of the gradients, relative to the largest of each tensor
    /// Seconds, the least of some runs in turn.
    double fused_step = 0, unfused_step = 0;        ///< loss and gradients
    double fused_restore = 0, unfused_restore = 0;  ///< the photograph alone

    bool agrees() const {
        return picture_difference <= 1e-4 && gradient_difference <= 1e-3;
    }
};

/// Not timed unless they agree; for about `seconds` seconds.
Comparison compare(Kernels &fused, Kernels &unfused, Floats &in, Floats &target, Parameters &parameters,
                   double seconds);

}  // namespace eutectic::photo
