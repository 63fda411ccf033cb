#pragma once

// The backward as it was chosen: placeholders become reads of parameters, or of values made there.

#include "autodiff/residuals/halide/build.h"
#include "autodiff/residuals/halide/choose.h"

#include <map>
#include <string>
#include <vector>

namespace eutectic {

/// Rewrites the backward's Funcs. `kept` has, by value of the graph, the tensor of each kept one. A value
/// that is made is written out where it is read, or is a Func recomputed_<name> of its own, a copy of the
/// forward's definitions: Halide computes it right before it is first read, since its name sorts after those
/// of adjoints.
void bind_backward(const ResidualProblem &problem, const BuiltGraph &built, const ResidualChoice &choice,
                   const std::map<int, Halide::ImageParam> &kept);

}  // namespace eutectic
