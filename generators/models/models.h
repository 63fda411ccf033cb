#pragma once

// What the generators of this folder share: gates, and rows of a batch. As in ops.h, without a schedule.

#include "generators/ops.h"

namespace eutectic::models {

/// 1 / (1 + exp(-x)).
Halide::Expr sigmoid(const Halide::Expr &x);

/// x sigmoid(x): the gate of swiglu (Shazeer, "GLU variants improve transformer", arXiv:2002.05202).
Halide::Expr silu(const Halide::Expr &x);

/// Heads of causal attention, y(j, i, h) = sum over t of softmax(q k^T / sqrt(d)) v of head h, where query i
/// sees the keys t <= i. q, k and v are (d, positions, heads), from 0; `inner` is the range of d, `positions`
/// that of the keys.
Halide::Func causal_heads(const Halide::Func &q, const Halide::Func &k, const Halide::Func &v,
                          const Halide::RDom &inner, const Halide::RDom &positions);

}  // namespace eutectic::models
