#pragma once

// What the tests of single operations share: small pipelines with their shapes.

#include "gradient_check.h"

#include <Halide.h>

#include <functional>
#include <string>
#include <vector>

namespace eutectic::test {

struct OperationCase {
    std::string name;
    std::function<Subject()> subject;
    Shapes shapes;
};

const Halide::Type f64 = Halide::Float(64);
const Halide::Expr zero = Halide::cast(f64, 0), one = Halide::cast(f64, 1);
const Extent n{2, 9}, m{-3, 6};
const Shapes line{{"x", {n}}, {"y", {n}}};
const Shapes square{{"x", {n, m}}, {"y", {n, m}}};
const Shapes rows{{"x", {n, m}}, {"y", {m}}};

/// The range of x's dimension d.
Halide::RDom over(const Halide::ImageParam &x, int d);

/// y, which `define` defines from the input x.
Subject one_input(int dimensions, const std::function<void(Halide::Func, Halide::ImageParam)> &define);

/// y(i) = f(x(i)) for an x in (-1, 1).
Subject of_one(const std::function<Halide::Expr(Halide::Expr)> &f);

/// Checks the gradient of each against central differences, then its tangents, and the products of second
/// derivatives with a direction; an error is a failure of its case.
void check_cases(const std::vector<OperationCase> &cases);

}  // namespace eutectic::test
