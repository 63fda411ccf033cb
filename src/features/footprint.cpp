// Points of a producer that a tile of loops reads.

#include <algorithm>
#include <cmath>

#include "features/work.h"

namespace eutectic {

namespace {

/** Points named by an affine index while its dims run over `tile`. */
double points_named(const Index &index, int64_t extent, const Extents &tile) {
    double points = 1 + index.halo + index.rounding;
    for (const DimId d : index.consumer_dims()) {
        points += std::abs(index.scale[d]) * static_cast<double>(tile[d] - 1);
    }
    const double all = static_cast<double>(extent);
    return std::min(std::floor(points), index.wraps > 0 ? std::min(index.wraps, all) : all);
}

}  // namespace

double footprint(const Index &index, int64_t extent, const Extents &tile) {
    if (!index.affine) {
        return static_cast<double>(extent);
    }
    const bool runs = index.wraps > 0 && std::any_of(index.scale.begin(), index.scale.end(),
                                                     [](double scale) { return scale != 0; });
    return runs ? std::min(index.wraps, static_cast<double>(extent)) : points_named(index, extent, tile);
}

double footprint(const Load &load, const Extents &tile) {
    double points = 1;
    for (const DimId i : load.access.indices.ids()) {
        points *= footprint(load.access.indices[i], load.extents[i], tile);
    }
    return points;
}

double points_read(const Index &index, int64_t extent, const Extents &tile) {
    double values = 1;
    for (DimId d = 0; d < tile.next_id() && !index.affine; d++) {
        values *= index.depends_on(d) ? static_cast<double>(tile[d]) : 1;
    }
    return index.affine ? points_named(index, extent, tile) : std::min(values, static_cast<double>(extent));
}

double points_read(const Load &load, const Extents &tile) {
    double points = 1;
    for (const DimId i : load.access.indices.ids()) {
        points *= points_read(load.access.indices[i], load.extents[i], tile);
    }
    return points;
}

}  // namespace eutectic
