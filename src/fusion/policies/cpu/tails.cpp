// Tails of vectors, and loops around clamped indices.
//
// Where a tail is guarded the last vector is predicated. Halide and LLVM make that a masked load of what lies
// side by side, and of all else a test, a jump and a load for each lane, which take longer than rows of whole
// vectors do, and compile for longer: such tails are shifted inwards. (A raw image taken apart by colours, as
// p(2 x + i), 1304 x 990 of 4 uint16 in vectors of 32 on an AMD EPYC: one guarded vector a row takes 5 ms,
// the 41 whole ones 0.6.)
//
// Where a stage reads neighbours through a clamp, as behind a boundary condition, Halide cuts loops in three,
// so that the middle one needs no clamp and loads whole vectors. It cuts the outermost loop first, and in the
// first and the last part of that no other: there every load is a gather, of as many points as that loop
// steps over. Cut are therefore the loop from vector to vector and what is inside it alone; along the others
// a clamp is one number for each row.
//
// (Sums of 5 x 5 taps of an image of 1536 x 2560 uint16 behind repeat_edge, in two tasks on an AMD EPYC: all
// loops cut 22 ms, compiled for 6.7 s; the vectors' alone 7.5 ms and 3.9 s; with shifted tails 3.2 ms and
// 1.4 s. Behind mirror_interior 43, 8 and 5 ms, behind constant_exterior 25, 7 and 3.5 ms.)

#include <algorithm>
#include <map>

#include "fusion/plan/panels.h"
#include "fusion/policies/policy.h"

namespace eutectic {

namespace {

/** Do its guards change along the dim of loop `l`, which it shares or has, so that cutting that loop saves
 * them? `choices`: or what it chooses by coordinates, which stays where it is. */
bool guarded_along(const NestedStage &s, size_t l, bool choices) {
    const DimId dim = l < s.nest.loops.size() ? s.nest.loops[l].dim : DimId(-1);
    return dim >= 0 && std::any_of(s.work->parts.begin(), s.work->parts.end(), [&](const Part &p) {
               return !p.guarded.empty() && p.guarded[dim] && (choices || p.body.guards > 0);
           });
}

/** Are the tasks of loop `l` the same code, the last of which begins earlier? They are then not cut into the
 * last one and the others: points that both compute must come out the same, to the bit, and compilers round
 * two copies of a body each in its own way. */
bool shifted_tasks(const TreeStage &s, size_t l) {
    const Loop &loop = s.loops[l];
    const bool tests =
        std::any_of(s.whole.begin(), s.whole.end(), [](const Condition &c) { return !is_of_any_size(c); });
    const bool shifted = loop.tail == Loop::Tail::fitted || (loop.tail == Loop::Tail::by_version && tests);
    return s.update < 0 && loop.kind == Loop::Kind::parallel && shifted;
}

/** Does cutting loop `l` of `root`, around all of the `stages`, gain nothing? */
bool stays_one(const std::vector<NestedStage> &stages, FuncId root, size_t l) {
    bool clamped = false;
    for (const NestedStage &s : stages) {
        const bool inside = s.work->func == root || static_cast<size_t>(s.nest.shared) > l;
        const bool here = inside && clamped_vectors(s);
        clamped = clamped || here;
        if (inside && !here && guarded_along(s, l, true)) {
            return false;
        }
    }
    return clamped;
}

/** Is the tail of loop `l` of `root` cut short in a loop inside it, which is cut itself at no cost? In two
 * copies, for the last turn and the others, would then be everything that `l` is around: colours of a raw
 * image and what is computed for a few of their rows, eight Funcs, compiled to 51,000 instructions, half of
 * them for the last eight rows. */
bool ends_inside(const std::vector<NestedStage> &stages, const TreeStage &s, size_t l) {
    const Loop &loop = s.loops[l];
    const bool inner =
        std::any_of(s.loops.begin() + static_cast<std::ptrdiff_t>(l) + 1, s.loops.end(),
                    [&](const Loop &i) { return i.dim == loop.dim && i.kind == Loop::Kind::serial; });
    return inner && std::none_of(stages.begin(), stages.end(),
                                 [&](const NestedStage &other) { return guarded_along(other, l, false); });
}

/** May the caller pass one buffer as the Func's and as what it reads? Then no point is computed twice. */
bool in_place(const Graph &graph, const StageWork &work) {
    if (!graph.funcs.contains(work.func) || !graph.funcs[work.func].output) {
        return false;  // of a Func that is made, or not the caller's
    }
    const auto own_point = [](const Load &l) {
        bool own = true;
        for (const DimId i : l.access.indices.ids()) {
            own = own && l.access.indices[i].equals_dim() == i;
        }
        return own;
    };
    std::map<FuncId, bool> only_own;  // of each input
    for (const Load &load : work.loads) {
        if (graph.funcs[load.producer].input) {
            const auto it = only_own.emplace(load.producer, true).first;
            it->second = it->second && own_point(load);
        }
    }
    return std::any_of(only_own.begin(), only_own.end(), [](const auto &input) { return input.second; });
}

/** The test that a loop over `dim` has so many points or more, if there is one that holds at the estimates.
 */
std::optional<Condition> long_enough(const Dim &dim, int64_t points) {
    if (dim.at_least) {
        return testable_points(dim) >= points ? std::make_optional(whole_tiles(dim, points)) : std::nullopt;
    }
    if (!dim.part_of) {
        return std::nullopt;
    }
    const int64_t of_buffer = dim.part_of->per * points, expected = dim.part_of->buffer.points;
    return expected == 0 || expected >= of_buffer
               ? std::make_optional(Condition{dim.part_of->buffer, of_buffer})
               : std::nullopt;
}

/** The loops that split `dim`, outermost first, if each is of whole steps of the next. */
std::vector<size_t> splits_of(const Loops &loops, DimId dim) {
    std::vector<size_t> splits;
    for (size_t l = 0; l < loops.size(); l++) {
        if (loops[l].dim != dim || loops[l].size == 1) {
            continue;
        }
        if (!splits.empty() && loops[splits.back()].size % loops[l].size != 0) {
            return {};
        }
        splits.push_back(l);
    }
    return splits;
}

/** Shifts the tail of the loop over vectors inwards in a version for buffers of a vector or more. (In smaller
 * ones it would begin before the first point, and read beyond whatever is clamped at the other end alone.) */
void shift_tail(TreeStage &s) {
    const size_t vector = s.loops.size() - 1;
    if (std::any_of(s.whole.begin(), s.whole.end(),
                    [](const Condition &c) { return !is_of_any_size(c) && c.points > 1; })) {
        s.loops.only_in_whole(vector);
        return;
    }
    const DimId along = s.loops[vector].dim;
    const std::vector<size_t> splits = splits_of(s.loops, along);
    if (splits.size() > 1 && splits.back() == splits.front() + 1) {
        return;  // a chunk is one row, which ends but once
    }
    const std::optional<Condition> enough =
        splits.empty() ? std::nullopt : long_enough(s.dims[along], s.loops[splits.front()].size);
    if (!enough || s.update >= 0) {
        return;
    }
    if (splits.size() == 1 && std::none_of(s.whole.begin(), s.whole.end(), is_of_any_size)) {
        s.loops.only_in_whole(vector);  // otherwise the other version is for more than a few points
    }
    s.whole.push_back(*enough);
    for (size_t l = 0; l < s.loops.size(); l++) {
        const bool fitted = s.loops[l].tail == Loop::Tail::fitted;
        const bool shifted = std::find(splits.begin(), splits.end(), l) != splits.end();
        s.loops.set_tail(l, shifted  ? Loop::Tail::by_version
                            : fitted ? Loop::Tail::fitted
                                     : Loop::Tail::guarded);
    }
}

/** Do loops around those of `stage` step along the dim of its vectors? */
bool cut_outside(const NestedStage &stage) {
    const DimId along = vector_dim(stage.nest);
    const auto begin = stage.nest.loops.begin();
    return std::any_of(begin, begin + stage.nest.shared, [&](const Loop &l) { return l.dim == along; });
}

}  // namespace

void settle_tails_and_boundaries(const Graph &graph, const Machine &machine, Group &g) {
    const std::vector<NestedStage> stages = g.tree.priced();
    const bool panels = reads_panels(g);  // tiles begin where these do
    for (TreeFunc &f : g.tree.funcs()) {
        for (TreeStage &s : f.stages) {
            const auto work = std::find_if(stages.begin(), stages.end(), [&](const NestedStage &w) {
                return w.work->func == f.func && w.work->update == s.update;
            });
            if (work == stages.end() || s.loops.empty()) {
                continue;
            }
            const bool clamped = clamped_vectors(*work), root = f.func == g.root;
            const bool once = graph.funcs.contains(f.func) && graph.funcs[f.func].in_place;
            const bool shifts = once      ? false
                                : clamped ? !f.computed
                                          : tails_by_lanes(*work, machine) && !cut_outside(*work) &&
                                                !in_place(graph, *work->work);
            if (shifts && !panels && s.loops.back().kind == Loop::Kind::vector) {
                shift_tail(s);
            }
            const int step = vector_step(work->nest) - work->nest.shared;
            for (int l = 0; l < static_cast<int>(s.loops.size()); l++) {
                const Loop &loop = s.loops[l];
                const bool reduces = loop.dim >= 0 && s.dims[loop.dim].reduction;
                const bool gains =
                    !(clamped || (root && (stays_one(stages, f.func, l) || ends_inside(stages, s, l))));
                s.loops.set_partitioned(l, !shifted_tasks(s, l) && (is_unrolled(loop.kind) || reduces ||
                                                                    (step >= 0 && l >= step) || gains));
            }
        }
    }
}

}  // namespace eutectic
