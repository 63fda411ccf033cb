#include "fusion/policies/gpu/warp_loops.h"

namespace eutectic {

using Kind = Loop::Kind;

WarpLoops::WarpLoops(const Blocks &blocks, const WarpShape &shape, const Inside &inside, bool unrolled)
    : gpu_(*blocks.q.machine.gpu), shape_(shape), inside_(inside), unrolled_(unrolled) {
    Nest &nest = of_writer_;
    const Dims &dims = blocks.root.dims;
    for (DimId d = dims.next_id() - 1; d > 0; d--) {
        nest.loops.gpu_blocks(d, d == 1 ? shape_.rows : 1);
    }
    over_blocks_ = static_cast<int>(nest.loops.size());
    if (shape_.warps == 1) {
        nest.loops.gpu_threads(1);
    }
    nest.loops.split(0, threads(), over_points());
    if (shape_.warps > 1) {
        nest.loops.gpu_threads(0, lanes());
    }
    nest.loops.split(0, 1, lane());
}

Loop WarpLoops::over_rows(FuncId f) const {
    const DimId dim = inside_.computed.at(f).position[1];
    return {dim, 1, Kind::gpu_thread, dim < 0 ? shape_.rows : 0};  // a dim's own extent says how many
}

}  // namespace eutectic
