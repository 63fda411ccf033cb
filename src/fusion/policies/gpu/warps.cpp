// m(i) = max over k of x(k, i);  s(i) += f(x(k, i), m(i));  y(j, i) = g(x(j, i), m(i), s(i))   →   one
// kernel, whose warps sum up their parts of a row lane by lane (in_warps.cpp) and read the row again for each
// sum, and for y.

#include "fusion/policies/gpu/warps.h"

#include <algorithm>

namespace eutectic {

bool chosen_member(const Blocks &b, const StageWork &work) {
    return std::any_of(b.members.begin(), b.members.end(), [&](FuncId f) { return chosen(work, f); });
}

bool belongs_to_row(const Blocks &b, const Inside &in, FuncId f, DimId row) {
    const FuncInfo &info = in.graph.funcs[f];
    const auto own = in.computed.find(f);
    if (own == in.computed.end() || (row >= 0 && own->second.position[row] >= 0) || info.tuple_size != 1 ||
        info.element_bytes != 4 || info.stages.size() > 2) {
        return false;
    }
    for (const DimId d : info.extents.ids()) {
        if (std::count(own->second.position.begin(), own->second.position.end(), d) != 1) {
            return false;
        }
    }
    const Stage &last = in.graph.last_stage(f);
    const bool sum = info.stages.size() == 2 &&
                     (last.role == Role::reduction || last.role == Role::contraction) &&
                     in.graph.may_reorder(last) && last.dims.size() == info.extents.size() + 1;
    return !chosen_member(b, stage_work(in.graph, info.stages.back(), b.q.inlined)) &&
           (sum || (info.stages.size() == 1 && last.role != Role::opaque));
}

bool has_rows(const Blocks &b) {
    const FuncInfo &info = b.q.graph.funcs[b.q.root];
    const Stage &root = b.q.graph.last_stage(b.q.root);
    if (info.stages.size() != 1 || root.role == Role::opaque || info.extents.size() < 2 ||
        b.q.blocked.empty() || !b.q.tiled.empty()) {
        return false;
    }
    return !chosen_member(b, stage_work(b.q.graph, info.stages.front(), b.q.inlined)) &&
           b.members == b.q.blocked;
}

std::vector<WarpShape> warp_shapes(const GroupRequest &q) {
    const FuncInfo &info = q.graph.funcs[q.root];
    const Gpu &gpu = *q.machine.gpu;
    std::vector<WarpShape> shapes;
    for (const int64_t rows : {2, 4, 8, 16}) {
        if (rows <= info.extents[1] && rows * gpu.warp_size <= gpu.threads_per_block) {
            shapes.push_back({1, rows});
        }
    }
    for (int64_t warps = 2;
         warps * gpu.warp_size <= gpu.threads_per_block && (warps / 2) * gpu.warp_size < info.extents[0];
         warps *= 2) {
        shapes.push_back({warps, 1});
    }
    return shapes;
}

StageWork sum_of_partials(const FuncInfo &like, FuncId to, FuncId from, const Dims &dims) {
    StageWork sum = addition_work(to, dims, like.element_bytes);
    Load read{from, identity_access(dims.size(), dims.size()), like.bytes_per_point, {}};
    for (const Dim &d : dims) {
        read.extents.push_back(d.extent);
    }
    sum.loads.push_back(read);
    return sum;
}

Offer gpu_warps(const GroupRequest &q) {
    const std::string values_of_rows = "is for values of rows in blocks, none of them running pairs";
    if (q.blocked.empty() || !q.sharing_nest.empty() || has_pairs(q)) {
        return Offer::other_kind(values_of_rows);
    }
    const Blocks blocks(q);
    if (!has_rows(blocks)) {
        return Offer::other_kind(values_of_rows);
    }
    const Inside inside = extents_inside(blocks, 1, 1);
    if (!std::all_of(q.blocked.begin(), q.blocked.end(),
                     [&](FuncId f) { return belongs_to_row(blocks, inside, f); })) {
        return Offer::refuse("keeps one value a row for each Func in its blocks, and one of them has more");
    }
    std::optional<Group> best;
    for (const WarpShape &shape : warp_shapes(q)) {
        best = cheaper(std::move(best), warps_kernel(blocks, shape, {}));
    }
    return Offer::of(std::move(best), "finds a value of a row that several others need, or too many of them");
}

}  // namespace eutectic
