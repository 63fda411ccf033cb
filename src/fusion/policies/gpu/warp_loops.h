#pragma once

// The loops of a kernel whose warps sum up rows lane by lane (in_warps.cpp).

#include "fusion/policies/gpu/warps.h"

namespace eutectic {

/** A row of the root is gone through by all threads of a warp, or of several. Every stage of a block has the
 * root's loops over blocks around its own. */
class WarpLoops {
public:
    /** `inside` says where the root's dims are in the Funcs of a block; it outlives this. `unrolled`: a
     * thread's points of a row are code, where it keeps them, and not a loop, where it reads them again. */
    WarpLoops(const Blocks &blocks, const WarpShape &shape, const Inside &inside, bool unrolled);

    /** Those of the root, which writes. */
    const Nest &of_writer() const {
        return of_writer_;
    }

    /** How many of them go over blocks: the outermost ones. */
    int over_blocks() const {
        return over_blocks_;
    }

    /** Of a warp. */
    int64_t lanes() const {
        return gpu_.warp_size;
    }

    /** Of a row. */
    int64_t threads() const {
        return shape_.warps * lanes();
    }

    /** Do lanes hand each other values? Else the language has no loops over them: they are threads. */
    bool shuffles() const {
        return gpu_.warp_shuffles;
    }

    /** The kind of a loop over a warp's lanes. */
    Loop::Kind lane() const {
        return shuffles() ? Loop::Kind::gpu_lane : Loop::Kind::gpu_thread;
    }

    /** The kind of a thread's loop over its points of a row. */
    Loop::Kind over_points() const {
        return unrolled_ ? Loop::Kind::unroll : Loop::Kind::serial;
    }

    /** What the lanes of a row's only warp have in registers is computed in the loop over rows, the rest by
     * the block's threads. */
    bool within_warps() const {
        return shuffles() && shape_.warps == 1;
    }

    /** The loop over a block's rows, each of which has one warp, as one of a stage's own. */
    Loop over_rows(FuncId f) const;

private:
    const Gpu &gpu_;
    WarpShape shape_;
    const Inside &inside_;
    bool unrolled_;
    Nest of_writer_;
    int over_blocks_ = 0;
};

}  // namespace eutectic
