#pragma once

#include <string>

namespace eutectic {

/** Functions that vectorize_functions() (schedules/rewrites.h) computes in vectors, where Halide calls the C
 * library for each element: what one takes, in exponential functions of float as Halide's vectors have them,
 * of vectors of its own type. 0: not one of them. `call` is named as in Halide's IR: tanh_f32, exp_f64.
 *
 * Measured on AMD Zen 3 with 256-bit vectors, 2026-11, over arrays in the first cache: nanoseconds an
 * element, times lanes, over those of exp_f32 (0.45 ns, 8 lanes). pow_f32: of a power that is the same for
 * all elements, on Zen 4 (0.27 ns, two vectors of 8 lanes); others take 11.6, with 512-bit vectors 5.0
 * and 5.8. */
double vector_function_work(const std::string &call);

}  // namespace eutectic
