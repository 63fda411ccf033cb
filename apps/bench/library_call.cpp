// What a library does by itself: one call of PRODUCT (src/library/product.h), which is the whole of c = a b,
// M × K by K × N, on TASKS threads; BATCH of them where that is not 0. TRANSPOSE_A: a is of (m, k), innermost
// first, in place of (k, m); TRANSPOSE_B likewise.

#include <HalideRuntime.h>

#include "library/product.h"

namespace {

const int64_t zero = 0, m = M, n = N, k = K, batch = BATCH;
constexpr int dims = BATCH > 0 ? 3 : 2;

const int64_t *const a_estimates[] = {&zero, TRANSPOSE_A ? &m : &k, &zero, TRANSPOSE_A ? &k : &m, &zero,
                                      &batch};
const int64_t *const b_estimates[] = {&zero, TRANSPOSE_B ? &k : &n, &zero, TRANSPOSE_B ? &n : &k, &zero,
                                      &batch};
const int64_t *const c_estimates[] = {&zero, &n, &zero, &m, &zero, &batch};

constexpr halide_filter_argument_t buffer(const char *name, halide_argument_kind_t kind,
                                          const int64_t *const *estimates) {
    return {name, kind, dims, {halide_type_float, 32, 1}, nullptr, nullptr, nullptr, nullptr, estimates};
}

const halide_filter_argument_t arguments[] = {
    buffer("a", halide_argument_kind_input_buffer, a_estimates),
    buffer("b", halide_argument_kind_input_buffer, b_estimates),
    buffer("c", halide_argument_kind_output_buffer, c_estimates),
};
const halide_filter_metadata_t metadata = {halide_filter_metadata_t::VERSION, 3, arguments, "",
                                           "library_call"};

// What the dimensions go along: columns are dimension 0 of c, rows 1, the batch 2.
constexpr int along_k = 0, along_n = 1, along_m = 2, along_batch = BATCH > 0 ? 3 << 8 : 0;
constexpr int pair(int inner, int outer) {
    return inner | outer << 4;
}
constexpr int a_dims = (TRANSPOSE_A ? pair(along_m, along_k) : pair(along_k, along_m)) | along_batch,
              b_dims = (TRANSPOSE_B ? pair(along_k, along_n) : pair(along_n, along_k)) | along_batch;

}  // namespace

extern "C" {

int kernel_0_argv(void **args) {
    auto *a = static_cast<halide_buffer_t *>(args[0]), *b = static_cast<halide_buffer_t *>(args[1]),
         *c = static_cast<halide_buffer_t *>(args[2]);
    return PRODUCT(a, b, 0, K, a_dims, b_dims, TASKS, c);
}

const halide_filter_metadata_t *kernel_0_metadata() {
    return &metadata;
}
}
