#pragma once

// Inputs that are data.

#include <Halide.h>

#include <set>
#include <string>
#include <vector>

namespace eutectic {

/// Marks an input buffer as data, such as images or wanted outputs: where nothing says what to differentiate
/// by, it gets no gradient. (Asked for by its name it does.) Takes Input<Buffer<>>, Input<Func> and
/// ImageParam alike; says nothing about the forward. Returns it.
Halide::Func not_differentiable(Halide::Func input);

/// The names of the inputs of these outputs that are marked. Throws UserError where something else is.
std::set<std::string> inputs_not_differentiable(const std::vector<Halide::Internal::Function> &outputs);

}  // namespace eutectic
