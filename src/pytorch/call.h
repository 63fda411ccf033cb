#pragma once

/// A function of a pair, called with tensors as they lie in memory.

#include <map>
#include <string>
#include <utility>
#include <vector>

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include "pytorch/pair.h"

namespace eutectic::pytorch {

/// Tensors and numbers by the names of arguments.
using Values = std::map<std::string, c10::IValue>;

/// Where dimensions begin, outermost first, of arguments that do not begin at 0.
using Begins = std::map<std::string, std::vector<int64_t>>;

/// The tensor itself where elements of its last dimension are neighbours, as kernels read them; otherwise a
/// contiguous copy.
at::Tensor as_taken(const at::Tensor &tensor);

class Call {
public:
    /// `pair` has the arguments; `order` those of the function, which says of itself that it is `metadata`,
    /// of which `unread` are given as null.
    Call(const Pair &pair, int (*function)(void **), const halide_filter_metadata_t *metadata,
         const std::vector<std::string> &order, const std::vector<std::string> &unread = {});

    /// Raises c10::Error where the code that was linked takes other arguments, with what the kernel says, and
    /// for sizes beyond Halide's 32 bits.
    void run(const Values &values, const Begins &begins) const;

    /// What the function would read and write of each buffer, (first, size) of each dimension, outermost
    /// first, if all had these sizes: Halide's answer to buffers without memory. `numbers` has the others.
    std::map<std::string, std::vector<std::pair<int64_t, int64_t>>>
    needed(const std::map<std::string, std::vector<int64_t>> &sizes, const Values &numbers,
           const Begins &begins) const;

private:
    void check(int status) const;

    std::string refusal_;  ///< of code that takes other arguments
    int (*function_)(void **);
    std::vector<Argument> arguments_;
    std::vector<size_t> places_;  ///< of each among all that the function takes
    size_t count_;                ///< of all
};

}  // namespace eutectic::pytorch
