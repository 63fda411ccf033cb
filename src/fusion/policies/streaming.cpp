// y(d0, d1, ...) = e   →   parallel outermost loop, serial middle loops, vectors along d0. Tails are guarded: right for every size, and
// nothing is computed twice (which in-place use relies on).

#include "fusion/policies/policy.h"

namespace eutectic {

namespace {

/** Loops with `tasks` parallel chunks along `along` (-1: none). */
Nest loops_for(const Stage &stage, int64_t width, int along, int64_t chunk) {
    Nest nest;
    if (along >= 0) {
        nest.loops.push_back({along, chunk, Loop::Kind::parallel});
    }
    for (int d = static_cast<int>(stage.dims.size()) - 1; d >= 0; d--) {
        const int64_t step = d == 0 ? width : 1;
        if (d == along && chunk == step) {
            continue;
        }
        nest.loops.push_back({d, step, Loop::Kind::serial});
    }
    if (width > 1) {
        nest.loops.push_back({0, 1, Loop::Kind::vector});
    }
    return nest;
}

}  // namespace

std::optional<Group> streaming(const GroupRequest &q) {
    const FuncInfo &func = q.graph.funcs[static_cast<size_t>(q.root)];
    const Stage &stage = q.graph.pure_stage(q.root);
    const bool pure = stage.role == Role::pointwise || stage.role == Role::view || stage.role == Role::gather;
    if (!pure || func.stages.size() != 1 || !q.tiled.empty()) {
        return std::nullopt;
    }
    const StageWork work = stage_work(q.graph, func.stages[0], q.inlined);
    std::optional<Group> best;
    const auto consider = [&](const Nest &nest) {
        Group g;
        g.root = q.root;
        g.policy = "streaming";
        g.computed = {{q.root, -1, -1, 0, {}}};
        g.nests = {{q.root, -1, stage.dims, nest}};
        g.work = {{work, nest, {}, false, false}};
        g.cost = price(g.work, q.machine);
        best = cheaper(best, g);
    };
    const int64_t inner = stage.dims.empty() ? 1 : stage.dims[0].extent;
    for (const int64_t width : vector_widths(q.machine, func.element_bytes, inner)) {
        consider(loops_for(stage, width, -1, 0));
        for (int d = static_cast<int>(stage.dims.size()) - 1; d >= 0 && q.machine.cores > 1; d--) {
            const int64_t extent = stage.dims[static_cast<size_t>(d)].extent;
            // A few tasks a core even out what the other threads of the machine take away.
            for (const int64_t tasks_per_core : {1, 4}) {
                const int64_t tasks = tasks_per_core * q.machine.cores;
                int64_t chunk = (extent + tasks - 1) / tasks;
                if (d == 0) {
                    chunk = (chunk + width - 1) / width * width;
                }
                if (chunk < extent) {
                    consider(loops_for(stage, width, d, chunk));
                }
            }
        }
    }
    return best;
}

}  // namespace eutectic
