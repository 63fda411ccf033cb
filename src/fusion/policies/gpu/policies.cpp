// The policies for GPUs, in the order in which ties are broken. One more is one more line.

#include "fusion/policies/gpu/gpu.h"

namespace eutectic {

const std::vector<Policy> &gpu_policies() {
    static const std::vector<Policy> policies = {
        {"gpu_points", gpu_points},            // a thread for each point
        {"gpu_turned", gpu_turned},            // transposes by tiles in shared memory
        {"gpu_contraction", gpu_contraction},  // products and other sums in registers
        {"gpu_shared_tile", gpu_shared_tile},  // the same of operands in shared memory
        {"gpu_block", gpu_block},              // rows of the root, and what they need, by a block of threads
        {"gpu_warps", gpu_warps},              // the same, sums from lane to lane
        {"gpu_registers", gpu_registers},      // the same, rows in registers
        {"gpu_chunks", gpu_chunks},            // sums to a single value
        {"gpu_split_sum", gpu_split_sum},      // long sums of few points
    };
    return policies;
}

}  // namespace eutectic
