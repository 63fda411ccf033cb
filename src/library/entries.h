#pragma once

#include "library/convolve.h"
#include "library/multiply.h"
#include "library/product.h"

/** Defines what product.h declares for the library `name`, by `multiply`, a Multiply of this process. */
#define EUTECTIC_LIBRARY(name, multiply)                                                              \
    EUTECTIC_PRODUCT(eutectic_##name##_product) {                                                     \
        return eutectic::multiply_buffers(multiply, a, b, k_min, k_extent, a_dims, b_dims, tasks, c); \
    }                                                                                                 \
    EUTECTIC_CONVOLUTION(eutectic_##name##_convolution) {                                             \
        return eutectic::convolve_buffers(multiply, {a,                                               \
                                                     b,                                               \
                                                     c,                                               \
                                                     {{{k_min, k_extent},                             \
                                                       {u_min, u_extent, u_steps, u_offset},          \
                                                       {v_min, v_extent, v_steps, v_offset}}},        \
                                                     a_dims,                                          \
                                                     b_dims,                                          \
                                                     tasks});                                         \
    }
