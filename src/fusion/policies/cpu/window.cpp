// y(j, i) = max(y(j, i), x(j, 2 i + r))   →   parallel chunks of an outer loop, vectors along j, and for
// each of them the whole window unrolled: its terms meet in a register, and no loop asks which part of the
// window lies outside x.
//
// For reductions over a window whose size the program fixes. y starts in a pass of its own, and the update
// reads and writes it once. Terms keep their order. Both passes are parallel along one dim: with tasks across
// it, each core would read what others have written, and write between their lines (a max pooling of 112 x
// 112 x 64 on two cores: 67 us instead of 51, and 91 to 86 on one).

#include "fusion/policies/policy.h"

namespace eutectic {

namespace {

/** The update's loops: those of a streaming nest in steps of `registers` of `width` lanes, and inside them
 * the window and the lanes. The registers are one vector: what is done to them takes turns. (The same max
 * pooling: 70 us with four vectors after each other, 60 with one or two of twice as many lanes.) */
Nest window_nest(const Stage &update, int64_t width, int64_t registers, DimId along, int64_t chunk) {
    Nest nest;
    if (along >= 0) {
        nest.loops.parallel(along, chunk);
    }
    for (const DimId d : update.dims.reversed_ids()) {
        const int64_t step = d == 0 ? width * registers : 1;
        if (!update.dims[d].reduction && !(d == along && chunk == step)) {
            nest.loops.split(d, step);
        }
    }
    for (const DimId d : update.dims.reversed_ids()) {
        if (update.dims[d].reduction) {
            nest.loops.unroll(d);
        }
    }
    if (width > 1) {
        nest.loops.vectorize(0);
    } else if (registers > 1) {
        nest.loops.unroll(0);
    }
    return nest;
}

/** The dim along which `nest` is parallel; -1: it is not. */
DimId parallel_dim(const Nest &nest) {
    return !nest.loops.empty() && nest.loops.front().kind == Loop::Kind::parallel ? nest.loops.front().dim
                                                                                  : DimId(-1);
}

}  // namespace

Offer window(const GroupRequest &q) {
    const FuncInfo &func = q.graph.funcs[q.root];
    const Stage &update = q.graph.last_stage(q.root);
    if (func.stages.size() != 2 || func.extents.empty() || update.role != Role::reduction ||
        !has_window(update)) {
        return Offer::other_kind("unrolls one update over a window of up to 49 terms whose size the program "
                                 "fixes, which " +
                                 func.name + " does not have");
    }
    if (const std::string reason = not_alone(q); !reason.empty()) {
        return Offer::other_kind(reason);
    }
    const StageWork start = stage_work(q.graph, func.stages[0], q.inlined),
                    reduce = stage_work(q.graph, func.stages[1], q.inlined);
    std::optional<Group> best;
    const auto consider = [&](int64_t width, int64_t vectors, DimId along, int64_t chunk) {
        Group g;
        g.root = q.root;
        g.policy = "window";
        g.tree.add_at_root(q.root);
        g.tree.add_stage(q.root, pass_nest(q, start, width).loops, {}, {start});
        g.tree.add_stage(q.root, window_nest(update, width, vectors, along, chunk).loops, {}, {reduce});
        g.tree.run_in_turn();
        g.cost = price(g.tree, q.machine, to_beat(best));
        best = cheaper(std::move(best), std::move(g));
    };
    const int cores = q.inside_block ? 1 : q.machine.cores;
    for (const int64_t width : vector_widths(q.machine, reduce.element_bytes, func.extents[0])) {
        for (const int64_t vectors : {1, 2, 4}) {
            if (vectors > 1 && width * vectors > func.extents[0]) {
                continue;
            }
            consider(width, vectors, -1, 0);
            const DimId started = parallel_dim(pass_nest(q, start, width));
            for (DimId d = func.extents.next_id() - 1; d > 0 && cores > 1; d--) {
                if (started >= 0 && d != started) {
                    continue;
                }
                const int64_t extent = func.extents[d];
                for (const int64_t tasks_per_core : {1, 4, 16}) {
                    const int64_t chunk = (extent + tasks_per_core * cores - 1) / (tasks_per_core * cores);
                    if (chunk < extent) {
                        consider(width, vectors, d, chunk);
                    }
                }
            }
        }
    }
    return std::move(*best);
}

}  // namespace eutectic
