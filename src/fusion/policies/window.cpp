// y(j, i) = max(y(j, i), x(j, 2 i + r))   →   parallel chunks of an outer loop, vectors along j, and for each of them the whole window unrolled: its terms meet in a register, and no loop asks
// which part of the window lies outside x.
//
// For reductions over a window whose size the program fixes. y starts in a pass of its own, and the update reads and writes it once. Terms keep their order.

#include "fusion/policies/policy.h"

namespace eutectic {

namespace {

/** Terms of a window that are unrolled at most: 7 x 7. Not a matter of speed, which the price of code decides, but of how long a kernel is compiled. */
constexpr int64_t most_terms = 49;

/** How many terms the update reduces, if the program fixes it; else 0. */
int64_t terms(const Stage &update) {
    int64_t n = 1;
    for (const Dim &d : update.dims) {
        n *= !d.reduction ? 1 : d.constant ? d.extent
                                           : 0;
    }
    return n;
}

/** The update's loops: those of a streaming nest in steps of `vectors` vectors, and inside them the window, the vectors and the lanes. */
Nest window_nest(const Stage &update, int64_t width, int64_t vectors, int along, int64_t chunk) {
    Nest nest;
    if (along >= 0) {
        nest.loops.push_back({along, chunk, Loop::Kind::parallel});
    }
    const int last = static_cast<int>(update.dims.size()) - 1;
    for (int d = last; d >= 0; d--) {
        const int64_t step = d == 0 ? width * vectors : 1;
        if (!update.dims[static_cast<size_t>(d)].reduction && !(d == along && chunk == step)) {
            nest.loops.push_back({d, step, Loop::Kind::serial});
        }
    }
    for (int d = last; d >= 0; d--) {
        if (update.dims[static_cast<size_t>(d)].reduction) {
            nest.loops.push_back({d, 1, Loop::Kind::unroll});
        }
    }
    if (vectors > 1) {
        nest.loops.push_back({0, width, Loop::Kind::unroll});
    }
    if (width > 1) {
        nest.loops.push_back({0, 1, Loop::Kind::vector});
    }
    return nest;
}

}  // namespace

std::optional<Group> window(const GroupRequest &q) {
    const FuncInfo &func = q.graph.funcs[static_cast<size_t>(q.root)];
    if (!q.tiled.empty() || func.stages.size() != 2 || func.extents.empty()) {
        return std::nullopt;
    }
    const Stage &update = q.graph.last_stage(q.root);
    const int64_t unrolled = terms(update);
    if (update.role != Role::reduction || unrolled < 2 || unrolled > most_terms) {
        return std::nullopt;
    }
    const StageWork start = stage_work(q.graph, func.stages[0], q.inlined), reduce = stage_work(q.graph, func.stages[1], q.inlined);
    std::optional<Group> best;
    const auto consider = [&](int64_t width, int64_t vectors, int along, int64_t chunk) {
        Group g;
        g.root = q.root;
        g.policy = "window";
        g.computed = {{q.root, -1, -1, 0, {}}};
        const Nest nest = window_nest(update, width, vectors, along, chunk);
        g.nests = {{q.root, -1, start.dims, pass_nest(q, start, width)}, {q.root, 0, reduce.dims, nest}};
        g.work = {{start, g.nests[0].nest, {}, false, false}, {reduce, nest, {}, false, false}};
        for (const NestedStage &stage : g.work) {
            g.cost += price({stage}, q.machine);  // one loop nest after the other
        }
        best = cheaper(std::move(best), std::move(g));
    };
    const int cores = q.inside_block ? 1 : q.machine.cores;
    for (const int64_t width : vector_widths(q.machine, reduce.element_bytes, func.extents[0])) {
        for (const int64_t vectors : {1, 2, 4}) {
            if (vectors > 1 && width * vectors > func.extents[0]) {
                continue;
            }
            consider(width, vectors, -1, 0);
            for (int d = static_cast<int>(func.extents.size()) - 1; d > 0 && cores > 1; d--) {
                const int64_t extent = func.extents[static_cast<size_t>(d)];
                for (const int64_t tasks_per_core : {1, 4}) {
                    const int64_t chunk = (extent + tasks_per_core * cores - 1) / (tasks_per_core * cores);
                    if (chunk < extent) {
                        consider(width, vectors, d, chunk);
                    }
                }
            }
        }
    }
    return best;
}

}  // namespace eutectic
