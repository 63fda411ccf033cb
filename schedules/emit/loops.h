#pragma once

#include <string>
#include <vector>

#include "fusion/plan/plan.h"
#include "schedules/directive.h"

namespace eutectic {

/** The loops of one stage as variables. */
struct StageLoops {
    struct Split {
        VarRef old, outer, inner;
        int64_t size;
        size_t loop;  ///< of the nest's loops, the one that it makes
    };
    struct Fuse {
        VarRef outer, inner, fused;
    };
    std::vector<VarRef> vars;    ///< of each of the nest's own loops
    std::vector<Split> splits;   ///< that make them, in order
    std::vector<Fuse> fuses;     ///< loops over blocks of a GPU, made one
    std::vector<VarRef> order;   ///< all loops, outermost first
    std::vector<size_t> blocks;  ///< which of `vars` are over blocks: each is the innermost loop over them,
                                 ///< where other Funcs are computed
    std::vector<VarRef> grid;    ///< the loops over blocks that are left, three at most. The innermost, whose
                                 ///< number of turns no grid limits, is over the outer dims
};

/** The splits that make the loops of `stage`. `common`: what its dims are called, where a nest that is shared
 * made it so; else empty. On a GPU loops over blocks come first, then those over threads, then what each
 * thread does. */
StageLoops make_loops(const StageNest &stage, const Table<DimId, std::string> &common);

/** May Halide cut `loop` of `nest` into those with and without a tail? Those of a CPU in the version for less
 * than a tile alone are short, and not worth the code. (Non-local means compiled in 5.5 s instead of 10.6.)
 */
bool may_be_cut(const Nest &nest, bool whole, const Loop &loop);

}  // namespace eutectic
