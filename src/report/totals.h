#pragma once

#include "fusion/plan/plan.h"

namespace eutectic {

/** What a run of a plan starts and what it allocates. */
struct Totals {
    int64_t nests = 0;  ///< loop nests, one after the other: of each definition at Root one, of what one nest
                        ///< writes together one
    int64_t parallel_loops =
        0;                ///< on a CPU: those that are started, but for parallel loops inside parallel ones
    int64_t kernels = 0;  ///< on a GPU: those that are launched
    Bytes temporary_bytes = 0;  ///< of all buffers but inputs and outputs, each once; on a CPU also of those
                                ///< that a task has for its blocks, as often as tasks run at once
    Bytes peak_bytes = 0;       ///< the most of them that are there at once
};

Totals totals(const Graph &graph, const FusionPlan &plan, const Machine &machine);

}  // namespace eutectic
