#pragma once

#include "Halide.h"

namespace eutectic {

/** Funcs of the pipeline that compute something: those that only stand for an input do not count. */
int count_funcs(const Halide::Pipeline &pipeline);

/** The plainest schedule that a person would write: every Func at Root, its innermost pure dimension in
 * vectors of the natural size, updates too where they write that dimension at its own coordinate. Tails are
 * Halide's choice, which guards the loops of updates; outputs are at least as wide as a vector. What
 * compiling a plan takes is compared with this. */
void vectorized_root(const Halide::Pipeline &pipeline, const Halide::Target &target);

}  // namespace eutectic
