#pragma once

#include "apps/support/kernel.h"

#include <string>
#include <vector>

namespace eutectic::distributed {

/// A differentiated kernel.
struct Pair {
    Kernel forward, backward;
};

/// What a step runs, each an ahead-of-time compiled static library.
struct Kernels {
    std::vector<Pair> layers;  ///< generators mlp_layer and, last, mlp_last: x, w, b (, labels) → z or loss
    Pair whole;                ///< generator mlp_loss: all of them in one
    Kernel adam;               ///< p, m, v, g, lr, beta1, beta2, epsilon, step → p_next, m_next, v_next
    const char *backward_report;  ///< Eutectic's report of whole.backward, as JSON text
};

/// As they were planned for "fast" or "strict" numerics.
Kernels kernels(const std::string &numerics);

/// Generator mlp: x, w1, b1, … → logits.
Kernel logits_kernel();

}  // namespace eutectic::distributed
