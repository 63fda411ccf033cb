// f(x, y) = select(y % 2 == 0, a(x, y / 2), b(x, y / 2)): code that knows the remainders of its coordinates.
//
// Of rows, each turn of the loops then computes one row of either kind. Of lanes, what the compiler would
// compare and choose, or gather, as p(x / 2), becomes a shuffle. Both need loops that begin at a multiple of
// the period, which only a caller can promise: they are a version for outputs that do.
//
// (Bilinear demosaicking of 1536 x 2560 uint16 in vectors of 64, two tasks on an AMD EPYC with AVX-512: 2.5
// ms; from an even column on 1.9, and two rows a turn from an even row on 1.75. The camera pipeline of
// Halide's apps, whose rows slide one by one, from an even column on: 0.96 of the time.)

#include <algorithm>

#include "cost/innermost_block.h"
#include "fusion/policies/policy.h"

namespace eutectic {

namespace {

/** The loops with steps of `period` points for single ones of `dim`, and chunks of whole such steps; nothing
 * where there is no such loop. */
std::optional<Loops> in_steps_of(const Loops &loops, DimId dim, int64_t period) {
    Loops result;
    bool stepped = false;
    for (const Loop &l : loops) {
        Loop loop = l;
        if (l.dim == dim) {
            if (is_unrolled(l.kind) || stepped) {
                return std::nullopt;
            }
            stepped = l.size == 1;
            loop.size = (l.size + period - 1) / period * period;
        }
        result.nest(loop);
    }
    return stepped ? std::optional(result) : std::nullopt;
}

Condition begins_at(FuncId func, DimId dim, int64_t period) {
    return {{func, dim}, period, std::nullopt, Condition::Kind::multiple};
}

/** The period by which the `lanes` of `work` are chosen or read, along dim `along`; 0: none. (Of p(x % n)
 * they are side by side where n, and where they begin, are multiples of their number.) */
int64_t period_of_lanes(const StageWork &work, DimId along, int64_t lanes) {
    for (const Load &load : work.loads) {
        for (const Index &index : load.access.indices) {
            const auto wraps = static_cast<int64_t>(index.wraps);
            if (wraps > 0 && wraps % lanes == 0 && index.scale[along] == 1) {
                return lanes;
            }
        }
    }
    for (const Part &part : work.parts) {
        for (const SomeOf &of : part.phases) {
            if (of.dim == along) {
                return of.period;
            }
        }
    }
    return 0;
}

/** The dim of the root that `dim` of what is computed in its loops follows; -1: none. */
DimId root_dim(const StageWork &work, DimId dim, FuncId root) {
    if (work.func == root) {
        return dim;
    }
    const std::optional<BufferDim> &buffer = work.dims[dim].at_least;
    return buffer && buffer->func == root ? buffer->dim : DimId(-1);
}

/** Do all loops of the root over `dim` step by whole periods? */
bool steps_by(const Loops &loops, DimId dim, int64_t period) {
    return std::all_of(loops.begin(), loops.end(), [&](const Loop &l) {
        return l.dim != dim || l.kind == Loop::Kind::vector ||
               (l.size % period == 0 && l.tail != Loop::Tail::fitted);
    });
}

}  // namespace

std::vector<SomeOf> phases_of(const StageWork &work) {
    std::vector<SomeOf> all;
    for (const Part &part : work.parts) {
        for (const SomeOf &of : part.phases) {
            const bool known = std::any_of(all.begin(), all.end(), [&](const SomeOf &o) {
                return o.dim == of.dim && o.period == of.period;
            });
            if (!known) {
                all.push_back(of);
            }
        }
    }
    return all;
}

std::optional<Nest> with_phases(const StageWork &work, const Nest &nest, const SomeOf &of) {
    const DimId along = vector_dim(nest);
    const std::optional<Loops> stepped = in_steps_of(nest.loops, of.dim, of.period);
    const bool any_size = std::all_of(nest.whole.begin(), nest.whole.end(), is_of_any_size);
    if (along < 0 || along == of.dim || !stepped || !any_size) {
        return std::nullopt;
    }
    Nest result{*stepped, nest.shared, nest.whole};
    const Loop vector = result.loops.back();
    result.loops.remove(result.loops.size() - 1);
    result.loops.unroll(of.dim).vectorize(vector.dim);
    guard_tails(result.loops);
    result.whole.push_back(begins_at(work.func, of.dim, of.period));
    return result;
}

void know_lanes(const Graph &graph, Group &g) {
    TreeFunc &root = g.tree.funcs().front();
    if (root.func != g.root || root.stages.size() != 1 || !graph.funcs[g.root].output) {
        return;
    }
    TreeStage &stage = root.stages.front();
    const auto only_whole = [](const Loop &l) { return l.only_whole; };
    if (std::any_of(stage.loops.begin(), stage.loops.end(), only_whole)) {
        return;  // any other version is for a few points, not for whatever begins elsewhere
    }
    for (const NestedStage &s : g.tree.priced()) {
        const DimId along = vector_dim(s.nest);
        const int64_t period = along >= 0 ? period_of_lanes(s.work, along, innermost_block(s).lanes) : 0;
        const DimId of_root = period > 0 ? root_dim(s.work, along, g.root) : DimId(-1);
        const bool asked = std::any_of(stage.whole.begin(), stage.whole.end(), [&](const Condition &c) {
            return c.kind == Condition::Kind::multiple && c.buffer.dim == of_root;
        });
        if (of_root < 0 || asked || !steps_by(stage.loops, of_root, period)) {
            continue;
        }
        if (stage.whole.empty()) {
            guard_tails(stage.loops);
        }
        stage.whole.push_back(begins_at(g.root, of_root, period));
    }
}

}  // namespace eutectic
