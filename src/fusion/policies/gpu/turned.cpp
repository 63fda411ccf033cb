// y(j, i) = f(x(i, j), ...)   →   blocks of threads over square tiles of y; the threads first copy the tile
// of x to shared memory (Func::in), side by side along x's rows, then each writes a few points, side by side
// along y's. A column of the copy is read across the banks: its rows are one point longer than the tile.

#include <algorithm>

#include "fusion/policies/gpu/gpu.h"

namespace eutectic {

namespace {

using Kind = Loop::Kind;

// As in M. Harris, "An Efficient Matrix Transpose in CUDA C/C++" (NVIDIA, 2013), not measured here: larger
// tiles leave an SM fewer blocks, and with fewer rows of threads each has more points one after another.
constexpr int64_t tile = 32;        // points, of both dims: a warp's
constexpr int64_t thread_rows = 8;  // of a block: each thread copies and writes tile / thread_rows points

/** A Func that is read with its first dim along another dim of the reader than the first. */
struct Turned {
    FuncId func = -1;
    Access access;
    DimId across = 0;    ///< the reader's dim that the Func's first goes along
    DimId position = 0;  ///< the Func's dim that goes along the reader's first
};

std::optional<Turned> turned(const Graph &graph, const Edge &edge) {
    if (edge.access.indices.size() < 2 || !edge.access.permutation() ||
        graph.funcs[edge.producer].tuple_size != 1) {
        return std::nullopt;
    }
    Turned t{edge.producer, edge.access, edge.access.indices[0].equals_dim(), 0};
    for (DimId i = 1; i < edge.access.indices.next_id(); i++) {
        t.position = edge.access.indices[i].equals_dim() == 0 ? i : t.position;
    }
    return t.across > 0 && t.position > 0 ? std::optional<Turned>(t) : std::nullopt;
}

/** The first Func that the root's own definition reads turned, and in no other way. */
std::optional<Turned> find_turned(const GroupRequest &q) {
    const std::vector<EdgeId> &edges = q.graph.pure_stage(q.root).edges;
    for (const EdgeId e : edges) {
        const Edge &edge = q.graph.edges[e];
        const auto reads = std::count_if(
            edges.begin(), edges.end(), [&](EdgeId o) { return q.graph.edges[o].producer == edge.producer; });
        const std::optional<Turned> t =
            reads == 1 && !q.inlined[edge.producer] ? turned(q.graph, edge) : std::nullopt;
        if (t) {
            return t;
        }
    }
    return std::nullopt;
}

Loops tiles(int dims, DimId across) {
    Loops loops;
    for (DimId d = dims - 1; d > 0; d--) {
        if (d != across) {
            loops.gpu_blocks(d);
        }
    }
    loops.gpu_blocks(across, tile);
    loops.gpu_blocks(0, tile);
    return loops;
}

/** Each thread takes every thread_rows-th point along `slow`; neighbours are neighbours along `fast`. */
Loops threads(DimId slow, DimId fast) {
    return Loops().unroll(slow, thread_rows).gpu_threads(slow).gpu_threads(fast);
}

/** Why `loads` loads of `from` are not turned: something inlined reads it, too, or its tile has no room. */
std::string refusal(const GroupRequest &q, const FuncInfo &from, std::ptrdiff_t loads, Bytes tile_bytes) {
    return loads != 1
               ? "would turn one load of " + from.name + ", of " + std::to_string(loads)
               : "would keep " + format_bytes(tile_bytes) + " in shared memory, of which a block has " +
                     format_bytes(q.machine.gpu->shared_bytes_per_block);
}

/** The copy `made` of a tile. */
StageWork copy_of_tile(FuncId made, const Turned &t, const FuncInfo &from) {
    StageWork work = copy_work(made, {t.func, t.access, from.bytes_per_point, from.extents});
    for (Dim &d : work.dims) {
        d.constant = true;  // in a block, as long as its loops say
    }
    return work;
}

/** The reader's dims → the dims of what it reads turned. */
DimMap dims_of_copy(const Turned &t, size_t reader_dims) {
    DimMap map(reader_dims, -1);
    for (const DimId i : t.access.indices.ids()) {
        map[t.access.indices[i].equals_dim()] = i;
    }
    return map;
}

}  // namespace

Offer gpu_turned(const GroupRequest &q) {
    const FuncInfo &info = q.graph.funcs[q.root];
    const Role role = q.graph.last_stage(q.root).role;
    if (const std::string reason = not_alone(q); !reason.empty()) {
        return Offer::other_kind(reason);
    }
    const bool suits =
        info.stages.size() == 1 && role != Role::opaque && info.extents.size() <= exact_blocks_of_tiles;
    const std::optional<Turned> t = suits ? find_turned(q) : std::nullopt;
    if (!t) {
        return Offer::other_kind("is for a pure Func of up to four dims that reads another one turned, once");
    }
    StageWork work = stage_work(q.graph, info.stages.front(), q.inlined);
    const FuncInfo &from = q.graph.funcs[t->func];
    const FuncId made = q.made("pack", q.root);
    const auto loads = std::count_if(work.loads.begin(), work.loads.end(),
                                     [&](const Load &l) { return l.producer == t->func; });
    const Bytes bytes = tile * (tile + 1) * from.bytes_per_point;
    if (loads != 1 || bytes > q.machine.gpu->shared_bytes_per_block) {
        return Offer::refuse(refusal(q, from, loads, bytes));
    }
    for (Load &load : work.loads) {
        load.producer = load.producer == t->func ? made : load.producer;
    }
    Group g;
    g.root = q.root;
    g.policy = "gpu_turned";
    g.added.push_back(Added::pack(made, t->func, {q.root}));
    Loops loops = tiles(static_cast<int>(info.extents.size()), t->across);
    const int blocks = static_cast<int>(loops.size());
    loops.nest(threads(t->across, 0));
    g.tree.add_at_root(q.root);
    NestedStage write{work};
    write.in_shared = {made};
    g.tree.add_stage(q.root, loops, {}, write);
    const StageWork copied = copy_of_tile(made, *t, from);
    TreeFunc &copy = g.tree.add_in_loop(made, {q.root, -1, blocks - 1}, dims_of_copy(*t, work.dims.size()));
    copy.allocated.assign(from.extents.size(), 1);
    copy.allocated[0] = tile + 1;
    copy.allocated[t->position] = tile;
    g.tree.add_stage(made, threads(t->position, 0), {}, {copied});
    KernelStages kernel;
    kernel.shared_bytes = bytes;
    g.kernels.push_back(price_kernel(g.tree, kernel, q.machine));
    g.cost = g.kernels.back().cost;
    return g;
}

}  // namespace eutectic
