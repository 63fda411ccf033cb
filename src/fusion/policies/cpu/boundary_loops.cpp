// Loops around clamped indices. Where a stage reads neighbours through a clamp, as behind a boundary
// condition, Halide cuts loops in three, so that the middle one needs no clamp and loads whole vectors. It
// cuts the outermost loop first, and in the first and the last part of that no other: there every load is a
// gather, of as many points as that loop steps over. Cut is therefore the loop from vector to vector alone;
// along the others a clamp is one number for each row. And where a tail is guarded, the last vector's gathers
// are predicated, lane by lane, which compiles for longer than all the rest: such tails are shifted inwards.
//
// (Sums of 5 x 5 taps of an image of 1536 x 2560 uint16 behind repeat_edge, in two tasks on an AMD EPYC: all
// loops cut 22 ms, compiled for 6.7 s; the vectors' alone 7.5 ms and 3.9 s; with shifted tails 3.2 ms and
// 1.4 s. Behind mirror_interior 43, 8 and 5 ms, behind constant_exterior 25, 7 and 3.5 ms.)

#include <algorithm>

#include "fusion/policies/policy.h"

namespace eutectic {

namespace {

/** Do its guards change along the dim of loop `l`, which it shares or has, so that cutting that loop saves
 * them? */
bool guarded_along(const NestedStage &s, size_t l) {
    const DimId dim = l < s.nest.loops.size() ? s.nest.loops[l].dim : DimId(-1);
    return dim >= 0 && std::any_of(s.work->parts.begin(), s.work->parts.end(),
                                   [&](const Part &p) { return !p.guarded.empty() && p.guarded[dim]; });
}

/** Does cutting loop `l` of `root`, around all of the `stages`, gain nothing? */
bool stays_one(const std::vector<NestedStage> &stages, FuncId root, size_t l) {
    bool clamped = false;
    for (const NestedStage &s : stages) {
        const bool inside = s.work->func == root || static_cast<size_t>(s.nest.shared) > l;
        const bool here = inside && clamped_vectors(s);
        clamped = clamped || here;
        if (inside && !here && guarded_along(s, l)) {
            return false;
        }
    }
    return clamped;
}

/** The one split of `dim` among `loops`, if there is but one. */
std::optional<size_t> only_split(const Loops &loops, DimId dim) {
    std::optional<size_t> split;
    for (size_t l = 0; l < loops.size(); l++) {
        if (loops[l].dim == dim && loops[l].size > 1) {
            if (split) {
                return std::nullopt;
            }
            split = l;
        }
    }
    return split;
}

/** Shifts the tail of the loop over vectors inwards in a version for buffers of a vector or more. (In smaller
 * ones it would begin before the first point, and read beyond whatever is clamped at the other end alone.) */
void shift_tail(TreeStage &s, bool at_root) {
    const size_t vector = s.loops.size() - 1;
    if (std::any_of(s.whole.begin(), s.whole.end(), is_of_any_size)) {
        return;
    }
    if (std::any_of(s.whole.begin(), s.whole.end(), [](const Condition &c) { return c.points > 1; })) {
        s.loops.only_in_whole(vector);
        return;
    }
    const DimId along = s.loops[vector].dim;
    const std::optional<size_t> step = only_split(s.loops, along);
    if (!step || s.update >= 0) {
        return;
    }
    const Dim &dim = s.dims[along];
    if (dim.at_least && at_root) {
        s.whole.push_back(whole_tiles(dim, s.loops[*step].size));
        s.loops.only_in_whole(vector);
        for (size_t l = 0; l < s.loops.size(); l++) {
            const bool fitted = s.loops[l].tail == Loop::Tail::fitted;
            s.loops.set_tail(l, l == *step ? Loop::Tail::by_version
                                : fitted   ? Loop::Tail::fitted
                                           : Loop::Tail::guarded);
        }
    }
}

}  // namespace

void settle_boundary_loops(Group &g) {
    const std::vector<NestedStage> stages = g.tree.priced();
    for (TreeFunc &f : g.tree.funcs()) {
        for (TreeStage &s : f.stages) {
            const auto work = std::find_if(stages.begin(), stages.end(), [&](const NestedStage &w) {
                return w.work->func == f.func && w.work->update == s.update;
            });
            if (work == stages.end() || s.loops.empty()) {
                continue;
            }
            const bool clamped = clamped_vectors(*work), root = f.func == g.root;
            const int step = vector_step(work->nest) - work->nest.shared;
            for (int l = 0; l < static_cast<int>(s.loops.size()); l++) {
                const Loop &loop = s.loops[l];
                const bool reduces = loop.dim >= 0 && s.dims[loop.dim].reduction;
                s.loops.set_partitioned(l, is_unrolled(loop.kind) || reduces || l == step ||
                                               !(clamped || (root && stays_one(stages, f.func, l))));
            }
            if (clamped && s.loops.back().kind == Loop::Kind::vector) {
                shift_tail(s, !f.computed);
            }
        }
    }
}

}  // namespace eutectic
