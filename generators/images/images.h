#pragma once

// What image pipelines share: stencils by taps, changes of size, pyramids. Every function returns Funcs
// without a schedule; `name` is what reports call them. Images have columns x first, then rows y; further
// dims are left alone.

#include <Halide.h>

#include <string>
#include <vector>

namespace eutectic::images {

inline const Halide::Var x("x"), y("y"), c("c");

/// Weighted sum of the taps f(x + i - n/2, y), i < n, in f's type times the weights': three weights are
/// {left, centre, right}.
Halide::Func taps_in_x(const Halide::Func &f, const std::vector<Halide::Expr> &weights,
                       const std::string &name);
/// The same down the columns.
Halide::Func taps_in_y(const Halide::Func &f, const std::vector<Halide::Expr> &weights,
                       const std::string &name);

/// `f`, which has its values at the even points of a twice as large image, at half its size: a binomial of
/// four taps (1 3 3 1)/8 along each dim. Float.
Halide::Func downsampled(const Halide::Func &f, const std::string &name);
/// Linear interpolation between the points of a half as large image (1 3)/4 along each dim. Float.
Halide::Func upsampled(const Halide::Func &f, const std::string &name);

/// f and, for each further level, the one before it downsampled. `levels` ≥ 1.
std::vector<Halide::Func> gaussian_pyramid(const Halide::Func &f, int levels, const std::string &name);
/// Each level less the next one upsampled; the last as it is.
std::vector<Halide::Func> laplacian_pyramid(const std::vector<Halide::Func> &gaussian,
                                            const std::string &name);
/// The image whose levels of detail these are: laplacian_pyramid() undone.
Halide::Func collapsed(const std::vector<Halide::Func> &laplacian, const std::string &name);

/// 0.299 r + 0.587 g + 0.114 b of planes c = 0, 1, 2 (ITU-R BT.601). Float.
Halide::Func luma(const Halide::Func &rgb, const std::string &name);

/// `value` rounded into 0…255.
Halide::Expr to_byte(const Halide::Expr &value);

}  // namespace eutectic::images
