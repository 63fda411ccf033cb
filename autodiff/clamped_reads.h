#pragma once

#include <Halide.h>

#include <vector>

namespace eutectic {

/// e, in an update of f over `rvars`, with f's own values read at constant distances where clamps make them
/// read others: f(max(r - 1, 0)), r from 0, becomes select(r >= 1, f(r - 1), f(r)), since r is 0 where it is
/// not 1 and more. For clamps that change a few points at the beginning or end of a loop; anything else
/// stays.
Halide::Expr with_unclamped_reads(const Halide::Expr &e, const Halide::Internal::Function &f,
                                  const std::vector<Halide::Internal::ReductionVariable> &rvars);

}  // namespace eutectic
