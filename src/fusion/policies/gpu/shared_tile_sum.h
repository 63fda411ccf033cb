#pragma once

// What gpu_shared_tile() makes a kernel of (shared_tile.cpp): a sum, and those of its operands that a block
// of threads copies to shared memory.

#include <optional>
#include <vector>

#include "fusion/policies/gpu/gpu.h"

namespace eutectic {

/** Floats that a thread reads from shared memory at once: 128 bits. A float has as many bytes, too. */
constexpr int64_t floats_at_once = 4;

/** What is copied of one Func. */
struct SharedOperand {
    FuncId func = -1, made = -1;
    bool inlined = false;
    Access access;    ///< of the reduction
    DimMap dims;      ///< of the reduction, for each dim of the Func
    Extents extents;  ///< of the Func
    int bytes_per_point = 4;
    DimId along_k = 0, along = 0;  ///< the Func's dims that k and the tile go along
    bool turned = false;           ///< the copy lies the other way round than the Func does
};

/** One sum over one dim, in tiles of the root. */
struct SharedTileSum {
    FuncId func = -1;
    bool made = false;        ///< the writer is a Func that the plan adds, or the root without its reduction
    Dims dims;                ///< of the writer
    StageWork written, work;  ///< the writer; the sum's update, which reads the copies
    DimMap map;               ///< dim of the writer → of the sum
    std::vector<SharedOperand> operands;
    std::optional<Blocks> blocks;  ///< where values of the tile's rows are computed, too
};

/** Reads the sum of `request` into `sum`, whose `blocks` refer to the request. A refusal, what follows the
 * policy's name, where there is none of which a block could copy operands. */
Verdict read_shared_tile_sum(const GroupRequest &request, SharedTileSum &sum);

}  // namespace eutectic
