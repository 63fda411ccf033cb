#pragma once

#include "Halide.h"

#include <string>
#include <vector>

namespace eutectic::bench {

/// `f` at half the size in x and y, filtered by (1, 3, 3, 1) / 8 in one dimension after the other. Two Funcs.
/// Further dimensions stay.
Halide::Func downsampled(Halide::Func f, const std::string &name);

/// `f` at twice the size in x and y, filtered by (1, 3) / 4 and (3, 1) / 4 in one dimension after the other.
/// Two Funcs.
Halide::Func upsampled(Halide::Func f, const std::string &name);

/// `f`, then each level from the one before; `levels` Funcs in all.
std::vector<Halide::Func> gaussian_pyramid(Halide::Func f, int levels, const std::string &name);

/// Level by level what the smaller one of a Gaussian pyramid does not tell of the larger one; the last level
/// is itself.
std::vector<Halide::Func> laplacian_pyramid(const std::vector<Halide::Func> &gaussian,
                                            const std::string &name);

/// The inverse of laplacian_pyramid().
Halide::Func collapsed(const std::vector<Halide::Func> &laplacian, const std::string &name);

}  // namespace eutectic::bench
