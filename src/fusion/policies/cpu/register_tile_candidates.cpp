#include <algorithm>
#include <cmath>

#include "fusion/policies/cpu/register_tile.h"

namespace eutectic {

namespace {

Seconds arithmetic(const Tiled &t) {
    return t.group.cost.compute + t.group.cost.idle + t.group.cost.launch;
}

bool same_tile(const RegisterTile &a, const RegisterTile &b) {
    return a.row_dim == b.row_dim && a.rows == b.rows && a.lanes == b.lanes && a.vectors == b.vectors &&
           a.window == b.window;
}

bool same_loops(const Tiled &a, const Tiled &b) {
    const auto loops = [](const Tiled &t) { return to_string(t.group.tree.nests().front().nest); };
    return loops(a) == loops(b);
}

/** Is `f` a packed copy of what no block computes? */
bool is_shared(const GroupRequest &q, const Group &g, FuncId f) {
    const auto is_member = [&](FuncId of) {
        return std::find(q.members.begin(), q.members.end(), of) != q.members.end();
    };
    return q.inside_block && std::any_of(g.added.begin(), g.added.end(), [&](const Added &a) {
               return a.kind == Added::Kind::pack && a.id == f && !is_member(a.of);
           });
}

}  // namespace

bool is_constant(const Graph &graph, const StageWork &writer, const std::vector<FuncId> &reductions,
                 DimId d) {
    return std::all_of(reductions.begin(), reductions.end(), [&](FuncId f) {
        const FuncInfo &of = graph.funcs[f];
        const DimId own = dims_in_producer(writer, f)[d];
        return own >= 0 && of.is_constant(own) && of.extents[own] == writer.dims[d].extent;
    });
}

int64_t accumulated_values(const Graph &graph, const std::vector<FuncId> &reductions) {
    int64_t values = 0;
    for (const FuncId f : reductions) {
        values += graph.funcs[f].tuple_size;
    }
    return values;
}

std::vector<Tiled> ChunkCandidates::beside(const Tiled &tiled) const {
    std::vector<Tiled> others = tiles_;
    others.erase(
        std::remove_if(others.begin(), others.end(), [&](const Tiled &t) { return same_loops(tiled, t); }),
        others.end());
    return others;
}

void ChunkCandidates::add(const Tiled &found) {
    if (!std::isfinite(arithmetic(found))) {
        return;
    }
    const auto same = std::find_if(tiles_.begin(), tiles_.end(),
                                   [&](const Tiled &t) { return same_tile(t.tile, found.tile); });
    if (same != tiles_.end()) {
        if (arithmetic(*same) <= arithmetic(found)) {
            return;
        }
        tiles_.erase(same);
    }
    const auto behind = std::find_if(tiles_.begin(), tiles_.end(),
                                     [&](const Tiled &t) { return arithmetic(found) < arithmetic(t); });
    tiles_.insert(behind, found);
    if (tiles_.size() > most) {
        tiles_.pop_back();
    }
}

Cost price_in_blocks(const GroupRequest &q, const Group &g, Seconds limit) {
    std::vector<NestedStage> own, shared;
    for (const NestedStage &s : g.tree.priced()) {
        (is_shared(q, g, s.work->func) ? shared : own).push_back(s);
    }
    Cost cost = price(own, q.machine, limit);
    if (!shared.empty() && std::isfinite(cost.compute)) {
        Cost once = price(shared, q.machine);
        for (Seconds *part : {&once.compute, &once.memory, &once.idle, &once.launch}) {
            *part /= q.blocks;
        }
        cost += once;
    }
    return cost;
}

StageWork write_tile_of(const Graph &graph, FuncId f) {
    const FuncInfo &info = graph.funcs[f];
    StageWork work = copy_work(f, {f, {}, info.bytes_per_point, info.extents});
    work.dims = graph.pure_stage(f).dims;
    return work;
}

Extents points_in_tile(const RegisterTile &tile, const DimMap &map, size_t dims) {
    Extents points(dims, 1);
    for (const DimId d : map.ids()) {
        if (map[d] >= 0) {
            points[map[d]] = tile.step(d);
        }
    }
    return points;
}

}  // namespace eutectic
