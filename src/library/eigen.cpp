// Products by Eigen: headers alone, so it is always there. What it compiles to is chosen when it runs.

#include "library/eigen.h"

#include "library/product.h"

namespace eutectic {

namespace {

Multiply eigen_for_this_processor() {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) {
        return eigen_for_avx512();
    }
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        return eigen_for_avx2();
    }
#endif
    return eigen_for_any();
}

}  // namespace

}  // namespace eutectic

int eutectic_eigen_product(halide_buffer_t *a, halide_buffer_t *b, int32_t k_min, int32_t k_extent,
                           int32_t a_dims, int32_t b_dims, int32_t tasks, halide_buffer_t *c) {
    static const eutectic::Multiply multiply = eutectic::eigen_for_this_processor();
    return eutectic::multiply_buffers(multiply, a, b, k_min, k_extent, a_dims, b_dims, tasks, c);
}
