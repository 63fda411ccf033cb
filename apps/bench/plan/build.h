#pragma once

// What the rows that are made in code share.

#include "Halide.h"

#include <vector>

namespace eutectic::bench {

/// Of images, unless a row says otherwise.
constexpr int image_size = 512;

/// An input with estimates for all its dimensions.
inline Halide::ImageParam input(const char *name, Halide::Type type, const std::vector<int> &extents) {
    Halide::ImageParam in(type, static_cast<int>(extents.size()), name);
    for (int d = 0; d < in.dimensions(); d++) {
        in.dim(d).set_estimate(0, extents[d]);
    }
    return in;
}

/// The pipeline that computes `out` at these extents.
inline Halide::Pipeline pipeline_of(Halide::Func out, const std::vector<int> &extents) {
    Halide::Region region;
    for (const int extent : extents) {
        region.emplace_back(0, extent);
    }
    out.set_estimates(region);
    return Halide::Pipeline(out);
}

/// Coordinates below 0 and beyond the last read the nearest point.
inline Halide::Func clamped(const Halide::ImageParam &in) {
    return Halide::BoundaryConditions::repeat_edge(in);
}

}  // namespace eutectic::bench
