// out(c, x, y) = f(in(c, x, y), ...), colours side by side   →   vectors along x of each c in turn,
// unrolled, in a version for buffers whose columns are as many elements apart as there are colours: only a
// constant stride makes dense loads and stores of vectors, and shuffles. (A matrix of 3 x 3 and an offset,
// 1536 x 1024 bytes times 3, two cores with AVX-512: 3.5 ms with any stride, 1.0 with 3.)

#include "fusion/policies/cpu/interleaved.h"

#include <algorithm>

#include "cost/innermost_block.h"

namespace eutectic {

namespace {

/** The dim of the root whose points are to be unrolled: the dense ones of its own buffer, or of what it loads
 * along `along`; -1 where there is none. */
DimId dim_of_dense_points(const FuncInfo &root, const StageWork &work, DimId along) {
    if (root.interleaving.is_stepped(along)) {
        return root.interleaving.inner;
    }
    for (const Load &load : work.loads) {
        for (DimId d = 0; stepped_along(load, along) && d < work.dims.next_id(); d++) {
            if (work.dims[d].extent <= Interleaving::most_points &&
                load.access.indices[load.interleaving.inner].depends_on(d)) {
                return d;
            }
        }
    }
    return -1;
}

/** Asks for the stride of the caller's buffer `func`, once. */
void ask_for_stride(FuncId func, const Interleaving &points, std::vector<Condition> &conditions) {
    const BufferDim buffer{func, points.outer};
    const bool asked = std::any_of(conditions.begin(), conditions.end(), [&](const Condition &c) {
        return c.kind == Condition::Kind::stride && c.buffer == buffer;
    });
    if (!points.constant && !asked) {
        conditions.push_back({buffer, points.step, std::nullopt, Condition::Kind::stride});
    }
}

}  // namespace

std::optional<Nest> with_known_strides(const GroupRequest &q, const StageWork &work, const Nest &nest) {
    const FuncInfo &root = q.graph.funcs[q.root];
    const DimId along = vector_dim(nest);
    if (along < 0 || !nest.whole.empty()) {
        return std::nullopt;
    }
    Nest result = nest;
    // What is computed in place is computed once, and strides say nothing of sizes.
    guard_tails(result.loops);
    const bool stored = root.interleaving.is_stepped(along);
    if (stored) {
        ask_for_stride(q.root, root.interleaving, result.whole);
    }
    bool loaded = false;
    for (const Load &load : work.loads) {
        if (stepped_along(load, along)) {
            loaded = true;
            ask_for_stride(load.producer, load.interleaving, result.whole);
        }
    }
    const DimId dense = stored || loaded ? dim_of_dense_points(root, work, along) : DimId(-1);
    const bool testable = dense >= 0 && work.dims[dense].at_least &&
                          testable_points(work.dims[dense]) == work.dims[dense].extent;
    const int64_t points = testable ? work.dims[dense].extent : 0;
    const std::optional<Loops> unrolled =
        testable ? unrolled_inside(result.loops, dense, points) : std::nullopt;
    if (!unrolled) {
        return result.whole.empty() || stored ? std::nullopt : std::make_optional(result);
    }
    result.whole.push_back(whole_tiles(work.dims[dense], points));
    result.loops = *unrolled;
    return result;
}

bool stores_side_by_side(const FuncInfo &func, const Nest &nest) {
    const Interleaving &points = func.interleaving;
    const auto of_inner = [&](const Loop &l) {
        return l.dim == points.inner && l.kind == Loop::Kind::unroll && l.size == 1;
    };
    const auto asked = [&](const Condition &c) {
        return c.kind == Condition::Kind::stride && c.buffer.dim == points.outer;
    };
    return points.is_stepped(vector_dim(nest)) &&
           std::any_of(nest.loops.begin(), nest.loops.end(), of_inner) &&
           (points.constant || std::any_of(nest.whole.begin(), nest.whole.end(), asked));
}

}  // namespace eutectic
