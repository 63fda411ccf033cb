#pragma once

// A pipeline for one example becomes one over a batch.
//
// Every Func that depends on an input of the batch gets one more dimension, its last and outermost, and reads
// with it what has it, too. Inputs that are not named are shared by all examples, and so is what depends on
// these alone. Reductions and scans go over each example in the order in which they did; a product of a
// shared matrix and a vector becomes a product of two matrices without anybody's doing. The schedule of the
// pipeline is gone.
//
// This comes before differentiation where gradients of shared inputs are wanted, which are then sums over the
// batch, and after it where each example's gradient is.

#include "autodiff/differentiate.h"

#include <Halide.h>

#include <string>
#include <vector>

namespace eutectic {

struct Batched {
    std::vector<Halide::Parameter> inputs;  ///< all, in their order: those named have one more dimension
    std::vector<NamedOutput> outputs;       ///< all, in their order: those that depend on the batch have, too
};

/// `over`: names of inputs, buffers or scalars, of which there is one for each example; a scalar becomes a
/// buffer of one dimension. `size`: examples to plan for, 1 and more; a call may have any number. Throws
/// UserError for a name that is no input, or is there twice, for none, for a size below 1, and where an
/// extern definition depends on the batch.
Batched batch(const std::vector<Halide::Parameter> &inputs, const std::vector<NamedOutput> &outputs,
              const std::vector<std::string> &over, int size);

/// The same outputs, of Funcs of their own, each called `prefix` and its name; they read the same inputs.
std::vector<NamedOutput> copy_funcs(const std::vector<NamedOutput> &outputs, const std::string &prefix);

/// The batch of a pipeline's outputs and of the inputs that it reads; the new parameters keep their names.
Halide::Pipeline batch(const Halide::Pipeline &pipeline, const std::vector<std::string> &over, int size);

}  // namespace eutectic
