#pragma once

#include <Halide.h>

#include <vector>

namespace eutectic {

/// Sums of exponentials that nothing keeps from overflowing,
///     s(i) = sum over r of exp(t(r, i)),   read as log(s(i)) and exp(t(j, i)) / s(i) alone,
/// become
///     m(i) = max over r of t(r, i),   s(i) = sum over r of exp(t(r, i) - m(i)),
/// read as m(i) + log(s(i)) and exp(t(j, i) - m(i)) / s(i). An exponential may be there under a condition,
/// select(c(r, i), exp(t(r, i)), 0), any factor may be a pure Func, and t is one where it is more than a
/// load. A sum that is an output, is read otherwise, or whose exponents have a bound stays.
void shift_sums(const std::vector<Halide::Internal::Function> &outputs);

}  // namespace eutectic
