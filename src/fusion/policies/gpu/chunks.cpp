// s() += e(k)   →   c(u) += e(chunk * u + k), each chunk u summed up by a block of threads (gpu_block); s()
// += c(u) by one block.
//
// The number of chunks follows from the device: sums are formed in another order, but the same one at every
// run.

#include <algorithm>
#include <utility>

#include "fusion/policies/gpu/gpu.h"

namespace eutectic {

namespace {

/** Adds the kernel that sums up the chunks. */
void append(Group &g, const Group &last, FuncId stands, FuncId partial) {
    g.added.insert(g.added.end(), last.added.begin(), last.added.end());
    LoopTree tree = last.tree;
    tree.rename([&](FuncId f) { return f == stands ? partial : f; });
    g.tree.append(tree);
    g.kernels.insert(g.kernels.end(), last.kernels.begin(), last.kernels.end());
    g.cost += last.cost;
}

}  // namespace

Graph of_partial_sums(const GroupRequest &q, FuncId sum, FuncId stands, int64_t chunks) {
    Graph graph = q.graph;
    FuncInfo &values = graph.funcs[stands];
    const FuncInfo &info = graph.funcs[sum];
    const size_t pure = info.extents.size();
    values.extents = info.extents;
    values.extents.push_back(chunks);
    values.bytes_per_point = info.bytes_per_point;
    values.element_bytes = info.element_bytes;
    Stage &update = graph.stages[info.stages.back()];
    const auto read = std::find_if(update.edges.begin(), update.edges.end(),
                                   [&](EdgeId e) { return graph.edges[e].producer == stands; });
    update.edges = {*read};
    graph.edges[*read].access = identity_access(pure + 1, pure + 1);
    update.dims.resize(pure);
    update.dims.push_back({"u", chunks, true, std::nullopt});
    update.body = ExprSummary();
    update.body.flops = 1;
    update.guarded.clear();
    update.multiply_accumulate = false;
    update.role = Role::reduction;
    return graph;
}

Group two_stages(const GroupRequest &q, FuncId sum, const Group &chunks, const Group &last, FuncId stands,
                 DimId dim, int64_t chunk) {
    const Stage &update = q.graph.last_stage(sum);
    const FuncId partial = q.made("chunks", sum);
    const auto of_chunks = [&](FuncId f) {
        for (const char *const name : {"lanes", "tree", "write_tile"}) {
            f = f == q.made(name, sum) ? q.made(name, sum, 1) : f;
        }
        return f == sum ? partial : f;
    };
    Group g = renamed(chunks, of_chunks);
    g.root = q.root;
    for (Added &a : g.added) {
        // Of the Func of the algorithm, which has no chunks.
        a.reduction_dim = a.reduction_dim - (a.name == "lanes" ? 1 : 0);
    }
    g.added.insert(g.added.begin(),
                   Added::partial("chunks", partial, sum, dim, chunk,
                                  update.order_free ? Grade::exact : Grade::reassociating, true));
    append(g, last, stands, partial);
    g.cost.launch += q.machine.gpu->allocation_seconds;
    return g;
}

Offer gpu_chunks(const GroupRequest &q) {
    const FuncInfo &info = q.graph.funcs[q.root];
    const Stage &update = q.graph.last_stage(q.root);
    if (const std::string reason = not_alone(q); !reason.empty()) {
        return Offer::other_kind(reason);
    }
    if (!is_single_reduction(q.graph, q.root) || !info.extents.empty() || update.dims.empty() ||
        update.edges.empty()) {
        return Offer::other_kind("is for a sum to a single value in one update, which " + info.name +
                                 " is not");
    }
    if (!may_move(q.graph, q.root)) {
        return Offer::reorders(info.name);
    }
    const DimId dim = update.dims.next_id() - 1;  // the outermost
    const int64_t extent = update.dims[dim].extent;
    const FuncId stands = q.graph.edges[update.edges.front()].producer;
    std::optional<Group> best;
    for (const int64_t blocks_per_sm : {1, 2, 4}) {
        const int64_t chunk =
            (extent + blocks_per_sm * q.machine.gpu->sms - 1) / (blocks_per_sm * q.machine.gpu->sms);
        const int64_t chunks = (extent + chunk - 1) / chunk;
        if (chunks < 2) {
            continue;
        }
        const Graph graph = chunked(q, q.root, dim, chunk, chunks),
                    partial_sums = of_partial_sums(q, q.root, stands, chunks);
        Table<FuncId, bool> inlined = q.inlined;
        inlined[stands] = false;
        Offer rows = gpu_block({graph, q.machine, q.placements, q.inlined, q.ids, q.root, {}, {}}),
              last = gpu_block({partial_sums, q.machine, q.placements, inlined, q.ids, q.root, {}, {}});
        if (rows.group() && last.group()) {
            Group g = two_stages(q, q.root, *rows.group(), *last.group(), stands, dim, chunk);
            g.policy = "gpu_chunks";
            best = cheaper(std::move(best), std::move(g));
        }
    }
    return Offer::of(std::move(best), "finds no chunks of " + info.name + " for several blocks of threads");
}

}  // namespace eutectic
