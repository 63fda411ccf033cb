#include "cost/gpu_nest.h"

#include <algorithm>
#include <cmath>

#include "cost/gpu.h"

namespace eutectic {

bool is_thread(const Loop &l) {
    return l.kind == Loop::Kind::gpu_thread || l.kind == Loop::Kind::gpu_lane;
}

bool at_once(const Loop &l) {
    return is_unrolled(l.kind);
}

bool points_at_once(const Loop &l) {
    return at_once(l) && l.dim >= 0;
}

double redundant_threads(const NestedStage &s) {
    return trips_of(s, [](const Loop &l) { return is_thread(l) && l.dim < 0; });
}

Extents tile_of_block(const NestedStage &s) {
    Extents tile = tile_inside(s.nest, 0, s.work->dims);
    for (size_t l = 0; l < s.nest.loops.size(); l++) {
        const Loop &loop = s.nest.loops[l];
        if (loop.kind == Loop::Kind::gpu_block && loop.dim >= 0) {
            tile[loop.dim] =
                std::min(tile[loop.dim], loop.count > 0 ? s.work->dims[loop.dim].extent : loop.size);
        }
    }
    return tile;
}

double points_of_tile(const Extents &tile) {
    double n = 1;
    for (const int64_t t : tile) {
        n *= static_cast<double>(t);
    }
    return n;
}

DimId thread_dim(const NestedStage &s) {
    for (size_t l = s.nest.loops.size(); l-- > 0;) {
        if (is_thread(s.nest.loops[l]) && trips(s.nest, l, s.work->dims) > 1) {
            return s.nest.loops[l].dim;
        }
    }
    return -1;
}

double points_of_vector(const NestedStage &s, const Access &access, int bytes_per_point, const Gpu &g) {
    double points = 1;
    for (size_t l = 0; l < s.nest.loops.size(); l++) {
        const Loop &loop = s.nest.loops[l];
        const bool along = loop.kind == Loop::Kind::vector && access.indices.next_id() > 0 &&
                           access.indices.front().equals_dim() == loop.dim;
        points *= along ? static_cast<double>(trips(s.nest, l, s.work->dims)) : 1;
    }
    return std::max(1.0, std::min(points, static_cast<double>(g.widest_load_bytes) / bytes_per_point));
}

double bytes_of_lane(const NestedStage &s, const Access &access, int bytes_per_point, const Gpu &g) {
    const DimId dim = thread_dim(s);
    if (dim < 0 || !access.depends_on(dim)) {
        return static_cast<double>(g.sector_bytes) / g.warp_size;
    }
    const Index &first = access.indices.front();
    const bool neighbours = first.affine && std::abs(first.scale[dim]) == 1;
    const bool elsewhere = std::any_of(access.indices.begin() + 1, access.indices.end(),
                                       [&](const Index &i) { return i.depends_on(dim); });
    return neighbours && !elsewhere ? bytes_per_point
                                    : std::max<double>(bytes_per_point, static_cast<double>(g.sector_bytes));
}

double block_bytes(const Load &load, const Extents &tile, const Gpu &g) {
    double bytes = load.bytes_per_point;
    for (const DimId i : load.access.indices.ids()) {
        const double points = points_read(load.access.indices[i], load.extents[i], tile);
        const double sector = std::min(static_cast<double>(load.extents[i]),
                                       static_cast<double>(g.sector_bytes) / load.bytes_per_point);
        bytes *= i == 0 ? std::max(points, sector) : points;
    }
    return bytes;
}

double blocks_of(const NestedStage &s) {
    return trips_of(s, [](const Loop &l) { return l.kind == Loop::Kind::gpu_block; });
}

int threads_of(const NestedStage &s) {
    return static_cast<int>(trips_of(s, is_thread));
}

std::vector<int> shape_of_block(const std::vector<NestedStage> &stages) {
    std::vector<int> axes;
    for (const NestedStage &s : stages) {
        size_t axis = 0;
        for (size_t l = s.nest.loops.size(); l-- > 0;) {
            if (is_thread(s.nest.loops[l])) {
                axes.resize(std::max(axes.size(), axis + 1), 1);
                axes[axis] = std::max(axes[axis], static_cast<int>(trips(s.nest, l, s.work->dims)));
                axis++;
            }
        }
    }
    return axes;
}

int threads_of(const std::vector<NestedStage> &stages) {
    double threads = 1;
    for (const int a : shape_of_block(stages)) {
        threads *= a;
    }
    return static_cast<int>(threads);
}

AtomicUpdates atomic_updates(const NestedStage &s, double points, bool in_shared, const Gpu &g) {
    const double bytes = static_cast<double>(s.atomic_bytes);
    AtomicUpdates a;
    a.instructions = points * g.access_instructions;
    if (in_shared) {
        // Of lanes that go anywhere, the fullest of 32 banks has 3.5 (the expected maximum of 32 balls in 32
        // bins); of fewer results than banks each has as many more. Each is a load and a store there.
        constexpr double beyond_even = 2.5;
        const double warp = g.warp_size, results = std::max(1.0, bytes / std::max(1, s.work->element_bytes));
        const double turns = std::min(warp, warp / std::min(results, warp) + beyond_even);
        a.first_level_bytes = points * 2 * s.work->element_bytes * turns;
        return a;
    }
    const double sectors = std::max(1.0, bytes / static_cast<double>(g.sector_bytes));
    a.l2_bytes = points * static_cast<double>(g.sector_bytes);
    a.results_bytes = bytes;
    a.seconds = points / std::min(sectors, g.atomics_per_cycle) / g.hertz;
    return a;
}

}  // namespace eutectic
