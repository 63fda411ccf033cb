#pragma once

// Choices in segments: along the forward, tensors are kept where few bytes cross, and everything between two
// such places is recomputed from there when the backward comes to it, one segment after the other. With n
// tensors of one size kept every sqrt(n), bytes and temporaries are O(sqrt n) (Chen, Xu, Zhang, Guestrin:
// "Training deep nets with sublinear memory cost", arXiv:1604.06174).

#include "autodiff/residuals/choice/residual_graph.h"

#include <vector>

namespace eutectic {

/// One choice for each of a geometric row of segment sizes, from all that the backward reads down to a single
/// tensor.
std::vector<ResidualChoice> choices_in_segments(const ResidualGraph &graph);

}  // namespace eutectic
