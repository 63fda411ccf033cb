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

}  // namespace

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
