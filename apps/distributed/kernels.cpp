#include "apps/distributed/kernels.h"

#include "digits_logits.h"
#include "distributed_adam_fast.h"
#include "distributed_adam_strict.h"
#include "distributed_layer1_fast_backward.h"
#include "distributed_layer1_fast_forward.h"
#include "distributed_layer1_strict_backward.h"
#include "distributed_layer1_strict_forward.h"
#include "distributed_layer2_fast_backward.h"
#include "distributed_layer2_fast_forward.h"
#include "distributed_layer2_strict_backward.h"
#include "distributed_layer2_strict_forward.h"
#include "distributed_layer3_fast_backward.h"
#include "distributed_layer3_fast_forward.h"
#include "distributed_layer3_strict_backward.h"
#include "distributed_layer3_strict_forward.h"
#include "distributed_reports.h"
#include "distributed_whole_fast_backward.h"
#include "distributed_whole_fast_forward.h"
#include "distributed_whole_strict_backward.h"
#include "distributed_whole_strict_forward.h"

namespace eutectic::distributed {

// EUTECTIC_PAIR(distributed_layer1_fast): the two kernels of an add_eutectic_library(… GRADIENT).
#define EUTECTIC_PAIR(name)                                  \
    Pair {                                                   \
        {name##_forward_argv, name##_forward_metadata()}, {  \
            name##_backward_argv, name##_backward_metadata() \
        }                                                    \
    }

Kernels kernels(const std::string &numerics) {
    if (numerics == "strict") {
        return {{EUTECTIC_PAIR(distributed_layer1_strict), EUTECTIC_PAIR(distributed_layer2_strict),
                 EUTECTIC_PAIR(distributed_layer3_strict)},
                EUTECTIC_PAIR(distributed_whole_strict),
                {distributed_adam_strict_argv, distributed_adam_strict_metadata()},
                distributed_backward_strict_report};
    }
    return {{EUTECTIC_PAIR(distributed_layer1_fast), EUTECTIC_PAIR(distributed_layer2_fast),
             EUTECTIC_PAIR(distributed_layer3_fast)},
            EUTECTIC_PAIR(distributed_whole_fast),
            {distributed_adam_fast_argv, distributed_adam_fast_metadata()},
            distributed_backward_fast_report};
}

Kernel logits_kernel() {
    return {digits_logits_argv, digits_logits_metadata()};
}

}  // namespace eutectic::distributed
