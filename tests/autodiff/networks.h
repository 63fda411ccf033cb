#pragma once

// Networks in float32 with estimates, for what is kept of them: the forward of one training step up to the
// output y.

#include "gradient_check.h"

#include <string>

namespace eutectic::test {

struct Network {
    Subject subject;
    Shapes shapes;
};

/// relu layers x w1 + b1, …, of `width` each.
Network relu_mlp(int layers, int width, int batch);
/// dropout(gelu(h w + b)) layers, and a last linear one.
Network gelu_dropout_mlp(int layers, int width, int batch);
/// y = x + dense(gelu(dense(layernorm(x)))), with four times the width inside.
Network layernorm_block(int width, int batch);
/// h_k(j) = tanh(a_k h_{k-1}(j - 1) + b_k h_{k-1}(j) + c_k h_{k-1}(j + 1)) at every k of `layers`, over
/// `rows` rows, 0 beyond the ends; the Funcs of the layers in `marked` are checkpoints.
Network chain_of_layers(int layers, int columns, int rows, const std::vector<int> &marked = {});

}  // namespace eutectic::test
