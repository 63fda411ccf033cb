// What oneDNN does by itself with integers: c = a b of signed bytes, summed up in 32 bits, M × K by K × N, in
// pieces of rows for TASKS threads of Halide's. TRANSPOSE_B: b is of (k, n), innermost first, in place of (n,
// k). Without VNNI its sums of pairs are of 16 bits and saturate: factors of 7 bits are summed up right.

#include <HalideRuntime.h>

#include <algorithm>
#include <cstdint>

#include "library/pieces.h"

namespace {

constexpr int64_t zero = 0, m = M, n = N, k = K;

}  // namespace

// oneDNN's header has parameters of these names.
#undef M
#undef N
#undef K

#include <omp.h>
#include <oneapi/dnnl/dnnl.h>

namespace {

const int64_t *const a_estimates[] = {&zero, &k, &zero, &m};
const int64_t *const b_estimates[] = {&zero, TRANSPOSE_B ? &k : &n, &zero, TRANSPOSE_B ? &n : &k};
const int64_t *const c_estimates[] = {&zero, &n, &zero, &m};

constexpr halide_filter_argument_t buffer(const char *name, halide_argument_kind_t kind, uint8_t bits,
                                          const int64_t *const *estimates) {
    return {name, kind, 2, {halide_type_int, bits, 1}, nullptr, nullptr, nullptr, nullptr, estimates};
}

const halide_filter_argument_t arguments[] = {
    buffer("a", halide_argument_kind_input_buffer, 8, a_estimates),
    buffer("b", halide_argument_kind_input_buffer, 8, b_estimates),
    buffer("c", halide_argument_kind_output_buffer, 32, c_estimates),
};
const halide_filter_metadata_t metadata = {halide_filter_metadata_t::VERSION, 3, arguments, "",
                                           "integer_library_call"};

/** `rows` of c from `first`. */
int multiply(const halide_buffer_t &a, const halide_buffer_t &b, const halide_buffer_t &c, int first,
             int rows) {
    omp_set_num_threads(1);  // of this thread's own calls
    const int32_t no_offset = 0;
    const dnnl_status_t status = dnnl_gemm_s8s8s32(
        'N', TRANSPOSE_B ? 'T' : 'N', 'F', rows, n, k, 1.0f,
        reinterpret_cast<const int8_t *>(a.host) + int64_t{first} * a.dim[1].stride, a.dim[1].stride, 0,
        reinterpret_cast<const int8_t *>(b.host), b.dim[1].stride, 0, 0.0f,
        reinterpret_cast<int32_t *>(c.host) + int64_t{first} * c.dim[1].stride, c.dim[1].stride, &no_offset);
    return status == dnnl_success ? halide_error_code_success : halide_error_code_generic_error;
}

}  // namespace

extern "C" {

int kernel_0_argv(void **args) {
    const auto &a = *static_cast<halide_buffer_t *>(args[0]), &b = *static_cast<halide_buffer_t *>(args[1]),
               &c = *static_cast<halide_buffer_t *>(args[2]);
    if (a.host == nullptr || b.host == nullptr || c.host == nullptr) {
        return halide_error_code_host_is_null;
    }
    constexpr int height = m, rows = (height + TASKS - 1) / TASKS;
    return eutectic::run_pieces((height + rows - 1) / rows, TASKS, [&](int piece) {
        return multiply(a, b, c, piece * rows, std::min(rows, height - piece * rows));
    });
}

const halide_filter_metadata_t *kernel_0_metadata() {
    return &metadata;
}
}
