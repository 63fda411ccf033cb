// s() += e(k)   →   c(u) += e(chunk * u + k) for chunks u in parallel, each a row reduction; s() += c(u).
//
// A sum of everything has no pure dim to run in parallel: its outermost reduction dim is cut into a chunk for
// each task (rfactor). Sums are formed in another order, but always in the same one, whatever the number of
// threads.

#include <algorithm>

#include "fusion/policies/policy.h"

namespace eutectic {

Graph chunked(const GroupRequest &q, FuncId sum, DimId dim, int64_t chunk, int64_t chunks) {
    Graph graph = q.graph;
    FuncInfo &info = graph.funcs[sum];
    const DimId pure = info.extents.next_id();
    info.extents.push_back(chunks);
    info.at_least.resize(pure);
    info.at_least.emplace_back(std::nullopt);
    info.inside.resize(pure);
    info.inside.emplace_back(std::nullopt);
    info.output = false;
    for (const StageId s : info.stages) {
        Stage &stage = graph.stages[s];
        for (const EdgeId e : stage.edges) {
            for (Index &i : graph.edges[e].access.indices) {
                const double step = stage.update < 0 ? 0 : i.scale[dim] * static_cast<double>(chunk);
                i.scale.insert(i.scale.begin() + pure, step);
            }
        }
        stage.dims.insert(stage.dims.begin() + pure, Dim{"chunk", chunks, false, std::nullopt});
        if (!stage.guarded.empty()) {
            stage.guarded.insert(stage.guarded.begin() + pure, stage.update >= 0 && stage.guarded[dim]);
        }
        if (stage.update >= 0) {
            stage.dims[dim + 1].extent = chunk;
            stage.dims[dim + 1].at_least = std::nullopt;  // the last chunk may be short
        }
    }
    return graph;
}

namespace {

/** `rows`, a row reduction of the chunks, as a part of the group of the whole sum. */
Group assemble(const GroupRequest &q, const Group &rows, DimId dim, int64_t chunk, int64_t chunks) {
    const FuncInfo &info = q.graph.funcs[q.root];
    const Stage &update = q.graph.last_stage(q.root);
    const FuncId partial = q.made("chunks", q.root);
    const auto renamed = [&](FuncId f) { return f == q.root ? partial : f; };
    Group g;
    g.root = q.root;
    g.policy = "full_reduction";
    g.added.push_back(Added::partial("chunks", partial, q.root, dim, chunk,
                                     update.order_free ? Grade::exact : Grade::reassociating, true));
    for (Added a : rows.added) {
        a.of = renamed(a.of);
        a.reduction_dim--;  // of the Func of the algorithm, which has no chunks
        g.added.push_back(a);
    }
    g.tree = rows.tree;
    g.tree.rename(renamed);
    g.tree.add_at_root(q.root);
    g.tree.add_stage(q.root, {}, {}, {stage_work(q.graph, info.stages.front(), q.inlined)});
    const StageWork sum = addition_work(q.root, {{"u", chunks, true, std::nullopt}}, info.element_bytes);
    g.tree.add_stage(q.root, {}, {}, {sum, {}, {partial}, false, true});
    g.cost = price(g.tree, q.machine);
    g.cost.launch += q.machine.allocation_seconds;
    return g;
}

}  // namespace

Offer full_reduction(const GroupRequest &q) {
    const FuncInfo &info = q.graph.funcs[q.root];
    const Stage &update = q.graph.last_stage(q.root);
    if (!is_single_reduction(q.graph, q.root) || !info.extents.empty() || update.dims.empty()) {
        return Offer::other_kind("is for a sum to a single value in one update, which " + info.name +
                                 " is not");
    }
    if (const std::string reason = not_alone(q); !reason.empty()) {
        return Offer::other_kind(reason);
    }
    if (q.machine.cores < 2) {
        return Offer::refuse("is for several cores");
    }
    if (!q.graph.may_reorder(update)) {
        return Offer::reorders(info.name);
    }
    const DimId dim = update.dims.next_id() - 1;  // the outermost
    const int64_t extent = update.dims[dim].extent;
    std::optional<Group> best;
    for (const int64_t tasks_per_core : {1, 4}) {
        const int64_t chunk =
            (extent + tasks_per_core * q.machine.cores - 1) / (tasks_per_core * q.machine.cores);
        const int64_t chunks = (extent + chunk - 1) / chunk;
        if (chunks < 2) {
            continue;
        }
        const Graph graph = chunked(q, q.root, dim, chunk, chunks);
        Offer rows = row_reduction({graph, q.machine, q.placements, q.inlined, q.ids, q.root, {}, {}});
        if (!rows.group()) {
            return Offer::refuse("sums up chunks as row_reduction does, which " + rows.reason());
        }
        best = cheaper(std::move(best), assemble(q, *rows.group(), dim, chunk, chunks));
    }
    return Offer::of(std::move(best),
                     "has a chunk for each task, and " + info.name + " too few terms for two");
}

}  // namespace eutectic
