// Products by OpenBLAS, the one with threads of its own, which is told once in a process to leave them:
// pieces for threads are made in multiply.cpp, and those of Halide's parallel loops call it at the same time.
// The serial one is called by one thread after the other: built without its locks, as Debian's 0.3.21 is, it
// gives the memory that it packs into to two threads at once, and products are wrong.

#include <mutex>

#include <cblas.h>

#include "library/entries.h"

namespace eutectic {

namespace {

template<typename T>
CBLAS_TRANSPOSE transposition(const Matrix<T> &x) {
    return x.row_major() ? CblasNoTrans : CblasTrans;
}

template<typename T>
blasint leading(const Matrix<T> &x) {
    return static_cast<blasint>(x.leading());
}

bool is_serial() {
    return openblas_get_parallel() == OPENBLAS_SEQUENTIAL;
}

/** Held by the one thread that may be in the library, where that has no locks of its own. */
std::unique_lock<std::mutex> turn() {
    static std::mutex one_at_a_time;
    return is_serial() ? std::unique_lock(one_at_a_time) : std::unique_lock<std::mutex>();
}

template<typename T>
int multiply(const Multiplication<T> &p) {
    const std::unique_lock<std::mutex> lock = turn();
    const auto m = static_cast<blasint>(p.m), n = static_cast<blasint>(p.n), k = static_cast<blasint>(p.k);
    const auto call = [&](auto *gemm) {
        gemm(CblasRowMajor, transposition(p.a), transposition(p.b), m, n, k, T(1), p.a.data, leading(p.a),
             p.b.data, leading(p.b), T(0), p.c.data, leading(p.c));
    };
    if constexpr (sizeof(T) == sizeof(float)) {
        call(cblas_sgemm);
    } else {
        call(cblas_dgemm);
    }
    return halide_error_code_success;
}

Multiply on_one_thread() {
    if (!is_serial()) {
        openblas_set_num_threads(1);
    }
    return {multiply<float>, multiply<double>};
}

const Multiply &multiply_by_it() {
    static const Multiply chosen = on_one_thread();
    return chosen;
}

}  // namespace

}  // namespace eutectic

EUTECTIC_LIBRARY(openblas, eutectic::multiply_by_it())
