// Kernels made by add_eutectic_library(... LIBRARY ...), linked as applications link them.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "HalideBuffer.h"

#include "library_layer_by_eigen.h"
#include "library_layer_by_loops.h"
#ifdef EUTECTIC_HAS_OPENBLAS
#include "library_layer_by_openblas.h"
#endif
#ifdef EUTECTIC_HAS_ONEDNN
#include "library_layer_by_onednn.h"
#endif
#include "tests/support/random.h"

using Halide::Runtime::Buffer;

namespace {

using Kernel = int (*)(halide_buffer_t *, halide_buffer_t *, halide_buffer_t *, halide_buffer_t *);

template<typename B>
void fill(B &buffer, uint64_t seed) {
    eutectic::test::Random random(seed);
    for (float &x : buffer) {
        x = static_cast<float>(random.below(2001) - 1000) / 1000;
    }
}

double difference(Kernel kernel, int m, int k, int n) {
    Buffer<float, 2> x(k, m), w(n, k), y(n, m), want(n, m);
    Buffer<float, 1> b(n);
    fill(x, 1);
    fill(w, 2);
    fill(b, 3);
    REQUIRE(kernel(x, w, b, y) == 0);
    REQUIRE(library_layer_by_loops(x, w, b, want) == 0);
    double most = 0;
    want.for_each_element(
        [&](const int *at) { most = std::max(most, static_cast<double>(std::abs(want(at) - y(at)))); });
    return most;
}

}  // namespace

TEST_CASE("a layer whose product is a library's, at the sizes that were expected and at others") {
    const Kernel kernels[] = {
        library_layer_by_eigen,
#ifdef EUTECTIC_HAS_OPENBLAS
        library_layer_by_openblas,
#endif
#ifdef EUTECTIC_HAS_ONEDNN
        library_layer_by_onednn,
#endif
    };
    for (const Kernel kernel : kernels) {
        CHECK(difference(kernel, 128, 784, 256) < 1e-3);
        CHECK(difference(kernel, 1, 1, 1) < 1e-3);
        CHECK(difference(kernel, 67, 33, 129) < 1e-3);
    }
}
