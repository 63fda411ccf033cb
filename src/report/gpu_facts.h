#pragma once

#include <vector>

#include "fusion/plan/plan.h"

namespace eutectic {

/** How neighbouring threads of a warp load or store a buffer in memory: neighbouring values (coalesced), the
 * same one (broadcast), or such that lie apart, a sector of memory for each thread (strided). */
struct KernelAccess {
    FuncId func = -1;
    const char *how = "coalesced";
    bool operator==(const KernelAccess &o) const {
        return func == o.func && how == o.how;
    }
};

/** What the threads of one kernel do. */
struct KernelFacts {
    std::vector<int> block;    ///< threads of a block along each axis, x first
    int64_t vector_width = 1;  ///< values that a thread loads, computes and stores at once, at most
    std::vector<KernelAccess>
        loads;  ///< from memory, each kind once: shared memory and registers are left out
    std::vector<KernelAccess> stores;  ///< to memory
};

/** Of each of the group's kernels, in their order; empty where they are not one for each stage at Root. */
std::vector<KernelFacts> kernel_facts(const Group &group);

}  // namespace eutectic
