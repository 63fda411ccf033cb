// The reductions of a block of threads: s(i) += e(k, i)   →   p(u, i) += e(T * ko + u, i) by T threads u;
// q(v, i) += p(W * uo + v, i) by W of them; s(i) += q(v, i) by one. A sum that is online has pairs for
// partial results, its maximum and itself, and the maximum is computed nowhere else. Partial results are
// rfactors of the reduction: sums are formed in another order, the same one at every run.

#include <algorithm>
#include <numeric>

#include "fusion/policies/gpu/gpu.h"

namespace eutectic {

namespace {

// Partial results that are not worth a second step. Chosen, not measured: it costs a barrier, which
// takes as long as some 8 additions one after another (20 ns and 4 cycles, gpu.h).
constexpr int64_t least_terms = 8;

/** A power of two near the root of `threads`: both steps take as long. */
int64_t second_step(int64_t threads) {
    int64_t w = 1;
    while (w * w < threads) {
        w *= 2;
    }
    return w;
}

/** Does `work` read anything along dim `d`, one value after the other? */
bool contiguous(const StageWork &work, DimId d) {
    return std::any_of(work.loads.begin(), work.loads.end(), [&](const Load &l) {
        return !l.access.indices.empty() && l.access.indices[0].affine && l.access.indices[0].scale[d] == 1;
    });
}

/** Of a sum of `work` along `dim`, do threads of one row lie beside each other, as what they read does? Else
 * the threads of neighbouring points do. `pure`: dims of the sum. */
bool lanes_are_neighbours(const StageWork &work, DimId pure, DimId dim) {
    return contiguous(work, dim) || pure == 0 || !contiguous(work, 0);
}

/** `points`, and a thread for each lane, the dim `lanes`; as neighbours: innermost. */
Loops with_lanes(Loops points, DimId lanes, bool neighbours) {
    points.insert(neighbours ? points.size() : 0, {lanes, 1, Loop::Kind::gpu_thread});
    return points;
}

/** Storage of partial results: those of neighbouring threads beside each other. */
std::vector<DimId> storage_of_lanes(DimId lanes, bool neighbours) {
    std::vector<DimId> storage(lanes);
    std::iota(storage.begin(), storage.end(), 0);
    storage.insert(neighbours ? storage.begin() : storage.end(), lanes);
    return storage;
}

/** The dim of a tree's partial results. */
Dim dim_of_partials(const char *name, int64_t extent, bool reduction) {
    return {name, extent, reduction, std::nullopt, true};
}

}  // namespace

Load load_of_partials(FuncId from, const Dims &dims, int bytes_per_point) {
    Load load{from, identity_access(dims.size(), dims.size()), bytes_per_point, {}};
    for (const Dim &d : dims) {
        load.extents.push_back(d.extent);
    }
    return load;
}

/** What `f` does to its partial results, of `dims` of which the last numbers them. */
StageWork InBlock::partials_work(FuncId f, FuncId to, const Dims &dims) const {
    const FuncInfo info = stored(f);
    StageWork work = addition_work(to, dims, info.element_bytes);
    if (const std::optional<RunningPair> &pair = inside_.graph.last_stage(f).pair) {
        work.parts.front().body = pair->merge;
    }
    work.stored_bytes = info.bytes_per_point;
    work.stores = info.tuple_size;
    return work;
}

void InBlock::add_reduction(FuncId f, FuncId made, Group &g, KernelStages &kernel) const {
    const Stage &update = inside_.graph.last_stage(f);
    const DimId pure = inside_.graph.funcs[f].extents.next_id();
    const StageWork work = stage_work(inside_.graph, inside_.graph.funcs[f].stages.back(), blocks_.q.inlined);
    DimId split = -1;
    for (DimId d = pure; d < update.dims.next_id(); d++) {
        const bool longer = split < 0 || update.dims[d].extent > update.dims[split].extent;
        split = longer || (contiguous(work, d) && !contiguous(work, split)) ? d : split;
    }
    const bool by_tree = split >= 0 && shape_.threads > 1 && inside_.graph.may_reorder(update) &&
                         (update.role == Role::reduction || update.role == Role::contraction);
    if (by_tree) {
        add_tree(f, made, split, g, kernel);
        return;
    }
    Loops own = threads_over(f, work.dims);
    place(made, f, 1, {}, g, kernel);
    g.tree.add_stage(made, -1, inside_.graph.pure_stage(f).dims, own);
    for (DimId d = work.dims.next_id() - 1; d >= pure; d--) {
        own.split(d, 1);
    }
    add_stage(made, work, own, true, g);
}

void InBlock::add_tree(FuncId f, FuncId made, DimId dim, Group &g, KernelStages &kernel) const {
    const Graph &graph = inside_.graph;
    const FuncInfo info = stored(f);
    const Stage &update = graph.last_stage(f);
    const DimId pure = info.extents.next_id();
    const Grade grade = update.order_free ? Grade::exact : Grade::reassociating;
    const FuncId partial = blocks_.q.made("lanes", f);
    StageWork whole = from_copies(stage_work(graph, info.stages.back(), blocks_.q.inlined), partial);
    whole.stored_bytes = info.bytes_per_point;
    whole.stores = info.tuple_size;
    g.added.push_back(Added::partial("lanes", partial, made, dim, shape_.threads, grade));

    const bool neighbours = lanes_are_neighbours(whole, pure, dim);
    StageWork work = split_reduction(whole, pure, dim, shape_.threads, false);
    work.update = 0;
    const Loops points =
        info.points() > 1 ? over_axes(f, work.dims, {shape_.rows}) : Loops();  // beside the axis of the lanes
    Loops own = with_lanes(points, pure, neighbours);
    const std::vector<DimId> storage = storage_of_lanes(pure, neighbours);
    place(partial, f, shape_.threads, storage, g, kernel);
    g.tree.add_stage(partial, -1, Dims(work.dims.begin(), work.dims.begin() + pure + 1), own);
    for (DimId d = work.dims.next_id() - 1; d > pure; d--) {
        own.split(d, 1, register_rows_.empty() ? Loop::Kind::serial : Loop::Kind::unroll);
    }
    add_stage(partial, work, own, true, g);

    const Dims rows(whole.dims.begin(), whole.dims.begin() + pure);
    const auto sum_up = [&](FuncId to, FuncId from, Dims dims, Loops threads) {
        StageWork sum = partials_work(f, to, dims);
        sum.loads.push_back(load_of_partials(from, dims, info.bytes_per_point));
        dims.pop_back();
        g.tree.add_stage(to, -1, dims, threads);
        threads.split(static_cast<int>(dims.size()), 1);
        add_stage(to, sum, threads, true, g);
    };
    FuncId from = partial;
    int64_t terms = shape_.threads;
    const Loops of_rows = pure > 0 ? threads_over(f, rows) : Loops();
    if (terms > least_terms) {
        const int64_t lanes = second_step(terms);
        from = blocks_.q.made("tree", f);
        g.added.push_back(Added::partial("tree", from, made, pure, lanes, grade));
        place(from, f, lanes, storage, g, kernel);
        Dims dims = rows;
        dims.push_back(dim_of_partials("v", lanes, false));
        dims.push_back(dim_of_partials("w", terms / lanes, true));
        sum_up(from, partial, dims, with_lanes(points, pure, neighbours));
        terms = lanes;
    }
    Dims dims = rows;
    dims.push_back(dim_of_partials("v", terms, true));
    place(made, f, 1, {}, g, kernel);
    sum_up(made, from, dims, of_rows);
}

}  // namespace eutectic
