#pragma once

#include <Halide.h>

namespace eutectic {

/// e, with what Halide's fast_exp(x), fast_log(x) and fast_pow(x, y) wrote out (a polynomial of reduced
/// arguments, whose exponent is put together from bits) as calls again: fast_exp_f32, fast_log_f32 and
/// fast_pow_f32, which exist nowhere else. `e` has no lets.
Halide::Expr with_fast_calls(const Halide::Expr &e);

/// The other way.
Halide::Expr without_fast_calls(const Halide::Expr &e);

}  // namespace eutectic
