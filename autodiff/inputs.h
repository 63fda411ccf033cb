#pragma once

// Inputs: which ones a pipeline refers to; and that before differentiation every value of an input is read
// through one Func, which is where its gradient ends.

#include <Halide.h>

#include <set>
#include <string>
#include <vector>

namespace eutectic {

/// Rewrites the pipeline so that each input is read by one Func: a second Func of the same buffer, a load of
/// the buffer without a Func, and the scalar parameters `scalars` (by name), which get a Func without
/// dimensions. A pipeline that is so already is not touched.
void read_inputs_through_funcs(const std::vector<Halide::Internal::Function> &outputs,
                               const std::set<std::string> &scalars);

/// The names of every buffer and scalar parameter that the pipeline of `outputs` refers to, for values or for
/// extents.
std::set<std::string> parameters_of(const std::vector<Halide::Func> &outputs);

}  // namespace eutectic
