#pragma once

#include "Halide.h"

namespace eutectic::approximate {

// Functions of float by the special function units of a device, which each compute a few of them in one
// instruction. Error, beside that of correctly rounded results, with the instructions of CUDA devices (PTX
// ISA, "ex2", "lg2", "rcp" and "div": 2^-22 relative, 2^-22 relative or absolute, 1 and 2 units in the last
// place):
//
//     exp    relative (2 + |x|) 2^-22        log    2^-21, relative, or absolute for x between 0.5 and 2
//     tanh   relative 2^-19                  divide 2 units in the last place
//
// (tests/numerics/test_approximate.cpp evaluates them with instructions that are off by as much.) Results and
// operands below the smallest normal number are 0. NaN stays NaN, and infinities have the usual values.

/** What a device computes by itself: 2^x, log2(x), 1 / x and a / b. */
struct Instructions {
    Halide::Expr (*ex2)(const Halide::Expr &x);
    Halide::Expr (*lg2)(const Halide::Expr &x);
    Halide::Expr (*rcp)(const Halide::Expr &x);
    Halide::Expr (*div)(const Halide::Expr &a, const Halide::Expr &b);
};

/** Those of CUDA devices, as calls of LLVM's intrinsics: kernels alone have them. */
const Instructions &of_cuda();

Halide::Expr exp(const Halide::Expr &x, const Instructions &by);
Halide::Expr log(const Halide::Expr &x, const Instructions &by);
Halide::Expr tanh(const Halide::Expr &x, const Instructions &by);

}  // namespace eutectic::approximate
