#pragma once

#include <Halide.h>

#include <vector>

namespace eutectic {

/// Gives logarithms of softmaxes Funcs of their own, at whatever place of an expression they are:
///     z(j, i) - m(i) - log(s(i))   ->   log_p(j, i),      log_p(j, i) = z(j, i) - m(i) - log_s(i)
/// and where data say which column, as a label does, the loss:
///     z(k(i), i) - m(i) - log(s(i))   ->   -nll(i),      nll(i) = log(s(i)) + m(i) - z(k(i), i)
/// m and s as in rules/row_softmax.h; terms in any order, some of which may be in pure Funcs. The rules of
/// both then hold behind any loss: weighted, smoothed, masked, summed up over rows in one go.
void name_logarithms(const std::vector<Halide::Internal::Function> &outputs);

}  // namespace eutectic
