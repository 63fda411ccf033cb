#pragma once

#include <Halide.h>

#include <vector>

namespace eutectic {

/// What a call of a pure Func stands for, and so on; not of an input, nor of what stops gradients.
Halide::Expr written_out(Halide::Expr e);

/// An expression as exp(sum of exponents - sum of exponents below) * product of factors / product of factors
/// below, where every condition holds, and 0 elsewhere, seen through pure Funcs.
struct Factorized {
    std::vector<Halide::Expr> exponents, exponents_below;
    std::vector<Halide::Expr> factors, factors_below;
    std::vector<Halide::Expr> conditions;
};
Factorized factorized(const Halide::Expr &e);

/// e where the conditions hold, otherwise `elsewhere`.
Halide::Expr where_all(const std::vector<Halide::Expr> &conditions, const Halide::Expr &e, double elsewhere);

}  // namespace eutectic
