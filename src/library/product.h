#pragma once

// What kernels call that were planned with `library=`: products of two matrices, or of many, and
// convolutions, by a library's kernels. Linked into applications by targets Eutectic::library_eigen,
// ..._openblas, ..._onednn, whichever the build found.

#include "HalideRuntime.h"

#ifdef __cplusplus
extern "C" {
#endif

/** c(...) = sum over k of a(...) * b(...), as an extern stage of Halide's: where `a` or `b` is a bounds query
 * (HalideRuntime.h), it is told the region that `c` needs, and nothing is computed.
 *
 * `a_dims`, `b_dims`: what each dimension of the operand goes along, four bits a dimension, the innermost in
 * the lowest: 0 is k, which goes from `k_min` over `k_extent` points, and d + 1 is dimension d of `c`. Each
 * dimension of `c` is one of `a`, of `b` or of both (a batch). Any strides are right; products whose matrices
 * have neighbours along one of their dims each are fast. Elements: float, of Eigen and OpenBLAS also double.
 *
 * `tasks`: 1 for a call on a block, which stays on the calling thread. More: the whole is cut in about so
 * many pieces of rows and columns for Halide's threads (halide_do_par_for), each of which calls the library
 * on one thread.
 *
 * Returns 0, or an error of HalideRuntime.h. Example, x of (k, i), w of (j, k), y of (j, i):
 *     eutectic_eigen_product(x, w, 0, x->dim[0].extent, 0x20, 0x01, 1, y); */
#define EUTECTIC_PRODUCT(name)                                                                      \
    int name(struct halide_buffer_t *a, struct halide_buffer_t *b, int32_t k_min, int32_t k_extent, \
             int32_t a_dims, int32_t b_dims, int32_t tasks, struct halide_buffer_t *c)

/** c(...) = sum over k, u and v of a(...) * b(...): a convolution, in which `a` has windows over u and v.
 *
 * `a_dims`, `b_dims`: what each dimension of the operand goes along, eight bits a dimension, up to four of
 * them. The lower four bits: 0, or d + 1 for dimension d of `c`. The upper four: 0, or 1 for k, 2 for u, 3
 * for v. Dimensions of `b`, and those of `a` that are no windows, have one of both. A dimension of `a` with u
 * is a window: its index is (u_steps & 0xffff) * (that of `c`) + (u_steps >> 16) * u + u_offset, and so for
 * v. A variable that there is not goes from 0 over one point.
 *
 * The rest is as for products. Example, a filter of 3 × 3 at every second point, x of (channel, i, j), w of
 * (result's channel, channel, u, v), y of (result's channel, i, j):
 *     eutectic_eigen_convolution(x, w, 0, x->dim[0].extent, 0, 3, 0x10002, 0, 0, 3, 0x10002, 0,
 *                                0x332210, 0x30201001, 1, y); */
#define EUTECTIC_CONVOLUTION(name)                                                                  \
    int name(struct halide_buffer_t *a, struct halide_buffer_t *b, int32_t k_min, int32_t k_extent, \
             int32_t u_min, int32_t u_extent, int32_t u_steps, int32_t u_offset, int32_t v_min,     \
             int32_t v_extent, int32_t v_steps, int32_t v_offset, int32_t a_dims, int32_t b_dims,   \
             int32_t tasks, struct halide_buffer_t *c)

EUTECTIC_PRODUCT(eutectic_eigen_product);
EUTECTIC_PRODUCT(eutectic_openblas_product);
EUTECTIC_PRODUCT(eutectic_onednn_product);
EUTECTIC_CONVOLUTION(eutectic_eigen_convolution);
EUTECTIC_CONVOLUTION(eutectic_openblas_convolution);
EUTECTIC_CONVOLUTION(eutectic_onednn_convolution);

#ifdef __cplusplus
}
#endif
