#pragma once

// Loads that go through the digits of a number: x(h * 64 + j) for j of 0 … 63, as heads are split from a row,
// and x(c % 64, c / 64), as they are merged. Each element is read at one point of the loop at most, so that
// its adjoint is a gather, d(x % 64, x / 64) and d(j + h * 64), where a scatter would be a loop in order,
// which nothing is fused with.

#include "autodiff/bounds.h"

#include <Halide.h>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace eutectic {

/// What follows from the place of an element, in whose dimensions the variables `vars` stand.
struct Digits {
    std::map<std::string, Halide::Expr> points;  ///< the loop variables that it decides, by their names
    std::set<size_t> dims;                       ///< the dimensions that it takes for that
    Halide::Expr inside;                         ///< is the element read at all?
};

/// Of a load at `args`, functions of the variables of `loop`; the elements' `vars` have the bounds
/// `elements`. A variable that is an argument by itself is one digit. Digits are numbers of a base that is a
/// constant, the strides of one dimension or the divisors of several, each digit a variable or a dimension.
Digits digits_of(const std::vector<Halide::Expr> &args, const VariableBounds &loop,
                 const std::vector<std::string> &vars, const VariableBounds &elements);

}  // namespace eutectic
