#pragma once

#include <vector>

#include "cost/cost.h"

namespace eutectic {

/** One kernel as the cost model sees it: stages that the same blocks of threads run one after another. */
struct GpuKernel {
    std::vector<NestedStage> stages;  ///< the first one's gpu_block loops are the kernel's; `local` values
                                      ///< are in shared memory or registers
    Bytes shared_bytes = 0;           ///< of one block
    int tile_points = 1;  ///< values that a thread keeps in registers at once, with an address for each
    int kept_values = 0;  ///< values that it keeps in registers without, instead of those
    int row_values = 0;   ///< values of rows that it keeps in registers, instead of those, at fixed distances
                          ///< from one address
};

/** What a kernel is estimated to take. */
struct KernelPrice {
    Cost cost;
    KernelResources resources;
    Occupancy occupancy;
    double blocks = 1;
    int tile_points = 1;                  ///< values that a thread has in registers at once
    int registers_per_point = 1;          ///< that each of them is estimated to take
    double dram_bytes = 0, l2_bytes = 0;  ///< moved by the whole kernel
    std::vector<NestedStage> stages;      ///< what was priced
};

/** Blocks that `stage`'s loops make, and threads of one. */
double blocks_of(const NestedStage &stage);
int threads_of(const NestedStage &stage);

/** Threads of a block that runs all of `stages`: each has its innermost loop over threads along the block's
 * first axis, the next along its second, and an axis is as long as the longest of these loops, whichever
 * stages the others are. */
int threads_of(const std::vector<NestedStage> &stages);

/** The price of one kernel on `machine.gpu`. Throughput is the slowest of arithmetic, loads from shared
 * memory and the first level, traffic past that, and traffic to memory as far as enough loads are under way
 * to hide its latency (Little's law); a kernel takes at least the latency of one block for each wave of
 * blocks that the device holds at once. Loads that neighbouring threads do not make of neighbouring values
 * move a sector each. An infinite cost when no SM can hold a block. */
KernelPrice price_kernel(const GpuKernel &kernel, const Machine &machine);

}  // namespace eutectic
