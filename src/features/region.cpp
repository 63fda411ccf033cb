#include "features/region.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace eutectic {

Region region_read(const Index &index, const Table<DimId, Region> &loops, bool anywhere) {
    Region read{0, index.offset.value_or(0), index.offset.value_or(0),
                index.affine && index.offset && index.wraps == 0};
    for (const DimId d : index.consumer_dims()) {
        if (!loops.contains(d)) {
            break;
        }
        const double scale = index.scale[d];
        read.known = read.known && (scale == 0 || loops[d].known);
        read.fixed = read.fixed && (scale == 0 || loops[d].fixed);
        read.rate += scale * loops[d].rate;
        read.min += std::min(scale * loops[d].min, scale * loops[d].max);
        read.max += std::max(scale * loops[d].min, scale * loops[d].max);
    }
    read.max += index.halo;
    // Indices are whole numbers: quotients are rounded down, here and not once more where the Func is itself
    // a reader. Anywhere, from the whole number at or below where the block lies, what is read is more than
    // `rounding` less than the unrounded index, and no more than it.
    const double below = anywhere && index.rounding > 0 ? index.rounding - 1 : 0;
    read.min = std::floor(read.min - below);
    read.max = anywhere ? std::ceil(read.max) : std::floor(read.max);
    return read;
}

Region hull(const Region &a, const Region &b) {
    Region both{a.rate, std::min(a.min, b.min), std::max(a.max, b.max), a.known && b.known,
                a.fixed && b.fixed};
    if (both.known && a.rate != b.rate) {
        both.max = std::numeric_limits<double>::infinity();  // far from the first block they lie far apart
    }
    return both;
}

int64_t points_of(const Region &region, int64_t extent) {
    if (!region.known) {
        return 1;
    }
    const double points = region.max - region.min + 1;
    return static_cast<int64_t>(std::clamp(points, 1.0, static_cast<double>(extent)));
}

}  // namespace eutectic
