#pragma once

// Shared pieces of the generators' algorithms, and what a network is written with: activations, a
// counter-based random number, normalizations of rows, contractions.
//
// They are Exprs and Funcs without any schedule. Every generator of the project takes what it shares with
// another from here, so that the derivative rules (autodiff/rules) meet one way of writing each of them.

#include <Halide.h>

#include <array>
#include <map>
#include <string>
#include <vector>

namespace eutectic {

/// Bounds each of `buffers` to exactly `columns` points of its first dimension, from 0 on, at every call:
/// schedules may then rely on it, as one that keeps rows in a GPU's registers does. A caller's buffer of
/// another size is Halide's own error.
template<typename... Buffers>
void fix_columns(int columns, Buffers &...buffers) {
    (buffers.dim(0).set_bounds(0, columns), ...);
}

/// The activations of `dense`, by the name a user gives.
enum class Activation { relu, none, gelu, tanh };

/// GeneratorParam's table of the above.
const std::map<std::string, Activation> &activation_names();

/// max(x, 0).
Halide::Expr relu(const Halide::Expr &x);

/// tanh(x) = 1 - 2 / (exp(2x) + 1), in x's floating-point type. Halide's tanh() calls the C library once per
/// element; this one vectorizes. 2x is clamped to [-40, 40], where the result is ±1 to the last bit in
/// double, so nothing overflows. Absolute error: a few roundings of 1.
Halide::Expr tanh_through_exp(const Halide::Expr &x);

/// gelu(x) = x / (1 + exp(-2u)), u = sqrt(2/pi) (x + 0.044715 x^3): the tanh form of the Gaussian error
/// linear unit (Hendrycks and Gimpel, arXiv:1606.08415), written through one exp. x is clamped to [-10, 10]
/// inside u, where exp(87) still is a finite float; beyond, the result is x or 0 to within 1e-36 |x|.
Halide::Expr gelu(const Halide::Expr &x);

/// The activation by its name; `none` gives x itself.
Halide::Expr activate(Activation activation, const Halide::Expr &x);

/// Philox-4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3", SC11): four
/// uint32 numbers of a 128-bit counter and a 64-bit key, all as uint32 Exprs. The same counter and key give
/// the same numbers everywhere, whatever the schedule.
std::array<Halide::Expr, 4> philox4x32(std::array<Halide::Expr, 4> counter, std::array<Halide::Expr, 2> key);

/// A uniform uint32 for the element (j, i) under `seed`: word 0 of Philox at counter (j, i, 0, 0) and key
/// (seed, 0). The coordinates are absolute, so a tile of a tensor gets the numbers that the whole tensor gets
/// there.
Halide::Expr random_bits(const Halide::Expr &seed, const Halide::Expr &j, const Halide::Expr &i);

/// Inverted dropout: 0 with probability `rate`, else x / (1 - rate). 0 <= rate < 1 (UserError).
Halide::Expr dropout(const Halide::Expr &x, float rate, const Halide::Expr &bits);

/// The type in which elements of type `storage` are computed with: float32 for float16 and bfloat16, else the
/// type itself.
Halide::Type arithmetic_type(const Halide::Type &storage);

/// x in the arithmetic type of its type.
Halide::Expr widen(const Halide::Expr &x);

// The operations on rows: x(j, i…) is a tensor with any number of dimensions whose rows lie along the
// first, `columns` the 1-D range of j. They compute in the arithmetic type of x; define_NAME(y, …) rounds
// to x's type once, at y.

/// The largest element of each row: m(i…) = max over r of x(r, i…), in the arithmetic type of x.
Halide::Func row_maximum(const Halide::Func &x, const Halide::RDom &columns);

/// y(j, i…) = exp(x(j, i…) - m(i…)) / sum over j of the same, m the row's maximum: stable for any
/// finite x.
void define_softmax(Halide::Func y, const Halide::Func &x, const Halide::RDom &columns);
Halide::Func softmax(const Halide::Func &x, const Halide::RDom &columns);

/// y(j, i…) = x(j, i…) - m(i…) - log(sum over j of exp(x(j, i…) - m(i…))).
void define_log_softmax(Halide::Func y, const Halide::Func &x, const Halide::RDom &columns);
Halide::Func log_softmax(const Halide::Func &x, const Halide::RDom &columns);

/// y(j, i…) = (x - mean) / sqrt(variance + epsilon) * scale(j) + bias(j); mean and variance of the row, the
/// latter from the centred values (Ba, Kiros, Hinton: "Layer normalization", arXiv:1607.06450).
void define_layernorm(Halide::Func y, const Halide::Func &x, const Halide::RDom &columns,
                      const Halide::Func &scale, const Halide::Func &bias, float epsilon);
Halide::Func layernorm(const Halide::Func &x, const Halide::RDom &columns, const Halide::Func &scale,
                       const Halide::Func &bias, float epsilon);

/// y(j, i…) = x / sqrt(mean of x^2 + epsilon) * scale(j) (Zhang and Sennrich, "Root mean square layer
/// normalization", arXiv:1910.07467).
void define_rmsnorm(Halide::Func y, const Halide::Func &x, const Halide::RDom &columns,
                    const Halide::Func &scale, float epsilon);
Halide::Func rmsnorm(const Halide::Func &x, const Halide::RDom &columns, const Halide::Func &scale,
                     float epsilon);

/// Softmax cross entropy of each row of `logits`, stable for any finite logits:
///     loss(i) = log(sum_j exp(z(j, i) - m(i))) + m(i) - z(labels(i), i),   m(i) = max_j z(j, i).
/// Labels outside the columns are clamped to them (a kernel never reads out of bounds).
Halide::Func row_cross_entropy(const Halide::Func &logits, const Halide::RDom &columns,
                               const Halide::Func &labels);

/// Its mean over `rows`. `loss` is defined here.
void define_mean_cross_entropy(Halide::Func loss, const Halide::Func &logits, const Halide::RDom &columns,
                               const Halide::Func &labels, const Halide::RDom &rows);

// The contractions. They accumulate in the arithmetic type of their operands and leave the result in it, for
// the epilogue.

/// c(j, i, …) = sum over r in `k` of a(r, i, …) b(j, r, …). A transposed operand is read as a(i, r,
/// …), b(r, j, …). Further dimensions are a batch; an operand with fewer dimensions is the same for the
/// whole batch (a tensor with two is a 1x1 convolution's weights, if a's rows are pixels).
void define_matmul(Halide::Func c, const Halide::Func &a, const Halide::Func &b, const Halide::RDom &k,
                   bool transpose_a = false, bool transpose_b = false);
Halide::Func matmul(const Halide::Func &a, const Halide::Func &b, const Halide::RDom &k,
                    bool transpose_a = false, bool transpose_b = false);

/// y(co, u, v, n) = sum over (ci, ku, kv) in `window` of x(ci, u stride + ku - padding, v stride + kv -
/// padding, n) w(co, ci, ku, kv). x must be defined wherever it is read: see padded().
Halide::Func conv2d(const Halide::Func &x, const Halide::Func &w, const Halide::RDom &window, int stride = 1,
                    int padding = 0);

/// y(c, u, v, n) = sum over (ku, kv) in `window` of x(c, u stride + ku - padding, v stride + kv - padding, n)
/// w(c, ku, kv).
Halide::Func depthwise_conv2d(const Halide::Func &x, const Halide::Func &w, const Halide::RDom &window,
                              int stride = 1, int padding = 0);

/// x(c, u, v, n) with `value` outside of its columns u and rows v, each a minimum and an extent.
Halide::Func padded(const Halide::Func &x, const Halide::Range &u, const Halide::Range &v,
                    const Halide::Expr &value);

/// How many windows fit: the extent of a convolution's or pooling's output.
int windows(int extent, int kernel, int stride, int padding);

/// "64,256,128,10" -> {64, 256, 128, 10}. UserError unless it is at least two positive numbers.
std::vector<int> parse_widths(const std::string &generator, const std::string &widths);

}  // namespace eutectic
