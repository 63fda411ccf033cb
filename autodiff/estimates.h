#pragma once

// Estimates and constant bounds of the Funcs and parameters that differentiation makes, from those of the
// forward.

#include "autodiff/bounds.h"

#include <Halide.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace eutectic {

/// Replaces the variables `<buffer>.min.<d>` and `<buffer>.extent.<d>`: `by` gets the buffer, "min" or
/// "extent", and d, and returns an undefined Expr to keep the variable.
Halide::Expr replace_buffer_extents(
    const Halide::Expr &e,
    const std::function<Halide::Expr(const Halide::Parameter &, const std::string &, int)> &by);

/// Such a variable: `what` is "min" or "extent".
Halide::Expr size_of(const Halide::Parameter &buffer, const std::string &what, int d);

/// Gives `to` the estimates and constraints that `from` has of its dimensions; it may have further ones.
void copy_constraints(const Halide::Parameter &from, Halide::Parameter to);

/// Copies estimates, and bounds that are constants, as far as they are set, of one element of a Func. `to` is
/// an output of its pipeline, which may have further dimensions.
void copy_sizes(Halide::Func from, int element, Halide::ImageParam to);
void copy_sizes(const Halide::Parameter &from, Halide::ImageParam to);
void copy_sizes(const Halide::Parameter &from, Halide::Func to, int element = 0);

/// The extents of `region` at the estimates of the buffers that it mentions (-1: unknown), set on both ends
/// of a residual.
std::vector<std::int64_t> estimate_region(const SymbolicRegion &region, Halide::ImageParam backward,
                                          Halide::Func forward);

}  // namespace eutectic
