#include "fusion/policies/gpu/warp_loops.h"

namespace eutectic {

using Kind = Loop::Kind;

WarpLoops::WarpLoops(const Blocks &blocks, const WarpShape &shape, const Inside &inside, bool unrolled)
    : gpu_(*blocks.q.machine.gpu), shape_(shape), inside_(inside), unrolled_(unrolled) {
    Nest &nest = of_writer_;
    const std::vector<Dim> &dims = blocks.root.dims;
    for (int d = static_cast<int>(dims.size()) - 1; d > 0; d--) {
        nest.loops.push_back({d, d == 1 ? shape_.rows : 1, Kind::gpu_block});
    }
    for (size_t l = 0; l < nest.loops.size(); l++) {
        around_.push_back(nest.loops[l]);
        around_.back().count = trips(nest, l, dims);
    }
    if (shape_.warps == 1) {
        nest.loops.push_back({1, 1, Kind::gpu_thread});
    }
    nest.loops.push_back({0, threads(), over_points()});
    if (shape_.warps > 1) {
        nest.loops.push_back({0, lanes(), Kind::gpu_thread});
    }
    nest.loops.push_back({0, 1, lane()});
}

std::vector<Loop> WarpLoops::blocks_around(FuncId f, const std::vector<Dim> &dims) const {
    std::vector<Loop> loops = around_;
    for (Loop &l : loops) {
        l.dim = inside_.computed.at(f).position[static_cast<size_t>(l.dim)];
        l.size = l.dim >= 0 ? dims[static_cast<size_t>(l.dim)].extent : l.count;
    }
    return loops;
}

Loop WarpLoops::over_rows(FuncId f) const {
    return {inside_.computed.at(f).position[1], 1, Kind::gpu_thread, shape_.rows};
}

}  // namespace eutectic
