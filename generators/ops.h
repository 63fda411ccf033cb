#pragma once

// Shared pieces of the generators' algorithms: activations, a counter-based random number, a row's softmax statistics.
//
// They are Exprs and Funcs without any schedule. Every generator of the project takes what it shares with another from here, so
// that the derivative rules (autodiff/rules) meet one way of writing each of them.

#include <Halide.h>

#include <array>
#include <map>
#include <string>
#include <vector>

namespace eutectic {

/// The activations of `dense`, by the name a user gives.
enum class Activation { relu,
                        none,
                        gelu,
                        tanh };

/// GeneratorParam's table of the above.
const std::map<std::string, Activation> &activation_names();

/// max(x, 0).
Halide::Expr relu(const Halide::Expr &x);

/// tanh(x) = 1 - 2 / (exp(2x) + 1), in x's floating-point type. Halide's tanh() calls the C library once per element; this one
/// vectorizes. 2x is clamped to [-40, 40], where the result is ±1 to the last bit in double, so nothing overflows.
/// Absolute error: a few roundings of 1.
Halide::Expr tanh_through_exp(const Halide::Expr &x);

/// gelu(x) = x / (1 + exp(-2u)), u = sqrt(2/pi) (x + 0.044715 x^3): the tanh form of the Gaussian error linear unit
/// (Hendrycks and Gimpel, arXiv:1606.08415), written through one exp. x is clamped to [-10, 10] inside u, where exp(87) still is
/// a finite float; beyond, the result is x or 0 to within 1e-36 |x|.
Halide::Expr gelu(const Halide::Expr &x);

/// The activation by its name; `none` gives x itself.
Halide::Expr activate(Activation activation, const Halide::Expr &x);

/// Philox-4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3", SC11): four uint32 numbers of a
/// 128-bit counter and a 64-bit key, all as uint32 Exprs. The same counter and key give the same numbers everywhere, whatever
/// the schedule.
std::array<Halide::Expr, 4> philox4x32(std::array<Halide::Expr, 4> counter, std::array<Halide::Expr, 2> key);

/// A uniform uint32 for the element (j, i) under `seed`: word 0 of Philox at counter (j, i, 0, 0) and key (seed, 0). The
/// coordinates are absolute, so a tile of a tensor gets the numbers that the whole tensor gets there.
Halide::Expr random_bits(const Halide::Expr &seed, const Halide::Expr &j, const Halide::Expr &i);

/// Inverted dropout: 0 with probability `rate`, else x / (1 - rate). 0 <= rate < 1 (UserError).
Halide::Expr dropout(const Halide::Expr &x, float rate, const Halide::Expr &bits);

/// The largest element of each row: m(i) = max over r of z(r, i). `columns` is the 1-D range of r.
Halide::Func row_maximum(const Halide::Func &z, const Halide::RDom &columns, const Halide::Type &type);

/// Mean softmax cross entropy of the rows of `logits`, stable for any finite logits:
///     loss() = 1/rows sum_i [ log(sum_j exp(z(j, i) - m(i))) + m(i) - z(labels(i), i) ],   m(i) = max_j z(j, i).
/// `loss` is defined here; labels outside the columns are clamped to them (a kernel never reads out of bounds).
void define_mean_cross_entropy(Halide::Func loss, const Halide::Func &logits, const Halide::RDom &columns,
                               const Halide::Func &labels, const Halide::RDom &rows, const Halide::Type &type);

/// "64,256,128,10" -> {64, 256, 128, 10}. UserError unless it is at least two positive numbers.
std::vector<int> parse_widths(const std::string &generator, const std::string &widths);

}  // namespace eutectic
