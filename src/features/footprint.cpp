// Points of a producer that a tile of loops reads.

#include <algorithm>
#include <cmath>

#include "features/work.h"

namespace eutectic {

double footprint(const Index &index, int64_t extent, const std::vector<int64_t> &tile) {
    if (!index.affine) {
        return static_cast<double>(extent);
    }
    double points = 1 + index.halo + index.rounding;
    for (size_t d = 0; d < index.scale.size(); d++) {
        points += std::abs(index.scale[d]) * static_cast<double>(tile[d] - 1);
    }
    return std::min(std::floor(points), index.wraps > 0 ? std::min(index.wraps, static_cast<double>(extent))
                                                        : static_cast<double>(extent));
}

double footprint(const Load &load, const std::vector<int64_t> &tile) {
    double points = 1;
    for (size_t i = 0; i < load.access.indices.size(); i++) {
        points *= footprint(load.access.indices[i], load.extents[i], tile);
    }
    return points;
}

double points_read(const Index &index, int64_t extent, const std::vector<int64_t> &tile) {
    double values = 1;
    for (size_t d = 0; d < tile.size() && !index.affine; d++) {
        values *= index.depends_on(static_cast<int>(d)) ? static_cast<double>(tile[d]) : 1;
    }
    return index.affine ? footprint(index, extent, tile) : std::min(values, static_cast<double>(extent));
}

double points_read(const Load &load, const std::vector<int64_t> &tile) {
    double points = 1;
    for (size_t i = 0; i < load.access.indices.size(); i++) {
        points *= points_read(load.access.indices[i], load.extents[i], tile);
    }
    return points;
}

}  // namespace eutectic
