#pragma once

#include <vector>

#include "cost/model.h"

namespace eutectic {

/** Blocks that `stage`'s loops make, and threads of one. */
double blocks_of(const NestedStage &stage);
int threads_of(const NestedStage &stage);

/** Threads of a block that runs all of `stages`: each has its innermost loop over threads along the block's
 * first axis, the next along its second, and an axis is as long as the longest of these loops, whichever
 * stages the others are. */
int threads_of(const std::vector<NestedStage> &stages);

/** GPUs. Throughput of a kernel is the slowest of arithmetic, loads from shared memory and the first level,
 * traffic past that, and traffic to memory as far as enough loads are under way to hide its latency (Little's
 * law); a kernel takes at least the latency of one block for each wave of blocks that the device holds at
 * once. Loads that neighbouring threads do not make of neighbouring values move a sector each. An infinite
 * cost when no SM can hold a block. */
const CostModel &gpu_cost_model();

}  // namespace eutectic
