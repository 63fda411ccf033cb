#pragma once

// What kernels call that were planned with `library=`: products of two matrices, or of many, by a library's
// kernels. Linked into applications by targets Eutectic::library_eigen, ..._openblas, ..._onednn, whichever
// the build found.

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
int eutectic_eigen_product(struct halide_buffer_t *a, struct halide_buffer_t *b, int32_t k_min,
                           int32_t k_extent, int32_t a_dims, int32_t b_dims, int32_t tasks,
                           struct halide_buffer_t *c);
int eutectic_openblas_product(struct halide_buffer_t *a, struct halide_buffer_t *b, int32_t k_min,
                              int32_t k_extent, int32_t a_dims, int32_t b_dims, int32_t tasks,
                              struct halide_buffer_t *c);
int eutectic_onednn_product(struct halide_buffer_t *a, struct halide_buffer_t *b, int32_t k_min,
                            int32_t k_extent, int32_t a_dims, int32_t b_dims, int32_t tasks,
                            struct halide_buffer_t *c);

#ifdef __cplusplus
}
#endif
