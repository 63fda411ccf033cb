// Products and convolutions by oneDNN: of floats. Debian's is built with OpenMP, which is asked for one
// thread by each thread that calls (a number of that thread's own): pieces for threads are made in
// multiply.cpp.

#include <omp.h>
#include <oneapi/dnnl/dnnl.h>

#include "library/entries.h"
#include "library/onednn_convolution.h"

namespace eutectic {

namespace {

/** OpenMP's number of threads in this thread, 1 for as long as it lives. */
class OneThread {
public:
    OneThread() {
        omp_set_num_threads(1);
    }
    ~OneThread() {
        omp_set_num_threads(before_);
    }
    OneThread(const OneThread &) = delete;
    OneThread &operator=(const OneThread &) = delete;

private:
    int before_ = omp_get_max_threads();
};

int multiply(const Multiplication<float> &p) {
    const OneThread one;
    const auto transposition = [](bool row_major) { return row_major ? 'N' : 'T'; };
    const dnnl_status_t status =
        dnnl_sgemm(transposition(p.a.row_major()), transposition(p.b.row_major()), p.m, p.n, p.k, 1.0f,
                   p.a.data, p.a.leading(), p.b.data, p.b.leading(), 0.0f, p.c.data, p.c.leading());
    return status == dnnl_success ? halide_error_code_success : halide_error_code_generic_error;
}

bool convolve(const StridedConvolution<float> &c) {
    const OneThread one;
    return convolve_by_onednn(c);
}

constexpr Multiply by_onednn = {multiply, nullptr, convolve};

}  // namespace

}  // namespace eutectic

EUTECTIC_LIBRARY(onednn, eutectic::by_onednn)
