#pragma once

// The contract as C++ for callers: name_residuals.h, which needs name_forward.h, name_backward.h,
// pair/checked_pair.h of the installed package and HalideBuffer.h, and no libHalide.
//
//     dense_residuals kept;                                     // one buffer a residual, by its name
//     kept.allocate({x, w, b}, {y});                            // in the shapes that go with these
//     kept.forward({x, w, b}, {y});                             // dense_forward
//     kept.backward({x, w, b}, {y}, {d_y}, {d_x, d_w, d_b});    // dense_backward
//
// with struct dense_inputs, dense_outputs, dense_upstream and dense_gradients of buffers and scalars by their
// names, which follow from the pipeline and from what is differentiated by what: a budget, an effort or a
// target changes none of them, nor what the methods take. What the backward does not read may be null, and is
// said so in the header.
//
// Each returns 0, or an error code of Halide's with a sentence in kept.refusal. What does not fit is refused
// by name before a kernel runs: a null buffer, a wrong type or number of dimensions, a residual of another
// shape, an input that is smaller than what is read, a library whose functions take other arguments than
// these.

#include "autodiff/contract/contract.h"

#include <string>

namespace eutectic {

/// The pair's name, of a path that ends in it and `end`: dense of DIR/dense_residuals.h. Throws UserError for
/// a path that does not end so, or in what is no name of C.
std::string pair_of_path(const std::string &path, const std::string &end);

/// The table of residuals as lines of comment: what name_forward.h and name_backward.h say at their top.
std::string contract_comment(const Contract &contract, const std::string &pair);

/// All of name_residuals.h. `pair`: the name, C++ namespaces included, without _forward and _backward. Throws
/// UserError for a residual whose size depends on more than sizes and scalars.
std::string contract_header(const Contract &contract, const std::string &pair);

}  // namespace eutectic
