#pragma once

// Order-independent matching of small expression shapes.

#include <Halide.h>

#include <optional>
#include <string>
#include <vector>

namespace eutectic {

/// A term of a flattened sum, and its sign.
struct Term {
    Halide::Expr e;
    bool negative = false;
};

/// a + (b - c) -> {+a, +b, -c}; zeros are left out.
std::vector<Term> terms_of(const Halide::Expr &e);

/// a * (b * c) -> {a, b, c}.
std::vector<Halide::Expr> factors_of(const Halide::Expr &e);

/// The argument of a call of the math function `name` (exp, log, tanh) at any precision, or of the user's own
/// function `name`; undefined when e is none.
Halide::Expr argument_of(const Halide::Expr &e, const std::string &name);

/// The numeric value of a constant.
std::optional<double> constant(const Halide::Expr &e);
bool is_constant(const Halide::Expr &e, double value);

/// For a + b with one side matching the constant: the other side; undefined otherwise.
Halide::Expr without_constant_term(const Halide::Expr &sum, double value);

/// min(max(x, lo), hi) in either order with constants lo and hi: x and the constants.
struct Clamped {
    Halide::Expr x;
    double low, high;
};
std::optional<Clamped> clamped(const Halide::Expr &e);

/// f has one value and no update.
bool is_pure(const Halide::Internal::Function &f);

/// A reduction f(v…) = init; f(v…) = combine(f(v…), value): what is combined, and over what.
struct Reduction {
    Halide::Expr init, value;
    std::vector<Halide::Internal::ReductionVariable> rvars;
};
/// Matches `Op` (Add, Max, Min) in the one update of f, whose left-hand side is f's pure variables and which
/// has no predicate.
template<typename Op>
std::optional<Reduction> reduction_with(const Halide::Internal::Function &f);

}  // namespace eutectic
