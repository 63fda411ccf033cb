// Kernels made with PACKED beside those made without: a weight is packed once and used again, at sizes that
// fill the last panel and at sizes that do not; a buffer that is not packed for them is refused.

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "HalideBuffer.h"
#include "HalideRuntime.h"

#include "packed_convolution.h"
#include "packed_convolution_plain.h"
#include "packed_layer.h"
#include "packed_layer_plain.h"
#include "packed_layer_strict.h"
#include "packed_layer_strict_plain.h"
#include "packed_mlp.h"
#include "packed_mlp_plain.h"
#include "tests/support/random.h"

using Halide::Runtime::Buffer;

namespace {

using Pack = int (*)(halide_buffer_t *, halide_buffer_t *);
using Extents = void (*)(const int *, int *);

Buffer<float> filled(const std::vector<int> &extents, uint64_t seed) {
    Buffer<float> buffer(extents);
    eutectic::test::Random random(seed);
    for (float &x : buffer) {
        x = static_cast<float>(random.below(2001) - 1000) / 1000;
    }
    return buffer;
}

/** What the kernel's own function makes of `w`, in the sizes that its header tells. */
Buffer<float> packed(Buffer<float> w, Pack pack, Extents extents_of, int dimensions) {
    std::vector<int> from, extents(dimensions);
    for (int d = 0; d < w.dimensions(); d++) {
        from.push_back(w.dim(d).extent());
    }
    extents_of(from.data(), extents.data());
    Buffer<float> panels(extents);
    panels.fill(7);
    REQUIRE(pack(w, panels) == 0);
    return panels;
}

#define PACKED(kernel, input, w) \
    packed(w, kernel##_pack_##input, kernel##_pack_##input##_extents, kernel##_pack_##input##_dimensions)

/** The largest difference of two buffers, over the largest value of one. */
double difference(const Buffer<float> &a, const Buffer<float> &b) {
    double most = 0, largest = 1;
    a.for_each_element([&](const int *at) {
        most = std::max(most, std::abs(static_cast<double>(a(at)) - b(at)));
        largest = std::max(largest, std::abs(static_cast<double>(b(at))));
    });
    return most / largest;
}

std::string said;

void listen(void * /*user_context*/, const char *message) {
    said = message;
}

/** Of a call that has to fail. */
bool refused(int status, const std::string &sentence) {
    const bool says = said.find(sentence) != std::string::npos;
    if (!says) {
        MESSAGE(said);
    }
    said.clear();
    return status != 0 && says;
}

}  // namespace

TEST_CASE("a weight that is packed once serves call after call") {
    for (const auto &[k, n] : {std::array<int, 2>{784, 256}, {1, 1}, {33, 129}, {300, 1000}, {64, 15}}) {
        Buffer<float> w = filled({n, k}, 1), b = filled({n}, 2);
        Buffer<float> v = PACKED(packed_layer, w, w), strict = PACKED(packed_layer_strict, w, w);
        for (const int m : {128, 1, 67, 5}) {
            INFO(m << " x " << k << " x " << n);
            Buffer<float> x = filled({k, m}, static_cast<uint64_t>(m)), y(n, m), want(n, m);
            REQUIRE(packed_layer(x, v, b, y) == 0);
            REQUIRE(packed_layer_plain(x, w, b, want) == 0);
            CHECK(difference(y, want) < 1e-5);
            REQUIRE(packed_layer_strict(x, strict, b, y) == 0);
            REQUIRE(packed_layer_strict_plain(x, w, b, want) == 0);
            CHECK(difference(y, want) == 0);
        }
    }
}

TEST_CASE("a filter of a convolution") {
    for (const auto &[size, in, out] : {std::array<int, 3>{28, 32, 48}, {7, 5, 11}, {1, 1, 1}}) {
        INFO(size << ", " << in << " to " << out << " channels");
        Buffer<float> w = filled({out, in, 3, 3}, 1), b = filled({out}, 2),
                      x = filled({in, size, size, 1}, 3);
        Buffer<float> y(out, size, size, 1), want(out, size, size, 1);
        REQUIRE(packed_convolution(x, PACKED(packed_convolution, w, w), b, y) == 0);
        REQUIRE(packed_convolution_plain(x, w, b, want) == 0);
        CHECK(difference(y, want) < 1e-5);
    }
}

TEST_CASE("several weights of one kernel") {
    for (const auto &widths : {std::array<int, 4>{64, 256, 128, 10}, {3, 17, 5, 1}}) {
        for (const int batch : {128, 1, 19}) {
            Buffer<float> x = filled({widths[0], batch}, 1), y(widths[3], batch), want(widths[3], batch);
            std::vector<Buffer<float>> w, b;
            for (size_t l = 0; l < 3; l++) {
                w.push_back(filled({widths[l + 1], widths[l]}, l + 2));
                b.push_back(filled({widths[l + 1]}, l + 7));
            }
            REQUIRE(packed_mlp(x, PACKED(packed_mlp, w1, w[0]), b[0], PACKED(packed_mlp, w2, w[1]), b[1],
                               PACKED(packed_mlp, w3, w[2]), b[2], y) == 0);
            REQUIRE(packed_mlp_plain(x, w[0], b[0], w[1], b[1], w[2], b[2], want) == 0);
            CHECK(difference(y, want) < 1e-5);
        }
    }
}

TEST_CASE("points beyond the last column are 0, and the header tells how many there are") {
    Buffer<float> w = filled({33, 7}, 1);
    const Buffer<float> v = PACKED(packed_layer, w, w);
    const int columns = v.dim(0).extent();
    CHECK(v.dimensions() == 3);
    CHECK(v.dim(1).extent() == 7);
    CHECK(v.dim(2).extent() * columns >= 33);
    v.for_each_element([&](const int *at) {
        const int column = at[2] * columns + at[0];
        CHECK(v(at) == (column < 33 ? w(column, at[1]) : 0));
    });
}

TEST_CASE("what is not packed for the kernel is an error and no result") {
    halide_set_error_handler(listen);
    Buffer<float> w = filled({256, 784}, 1), b = filled({256}, 2), x = filled({784, 128}, 3), y(256, 128);
    CHECK(refused(packed_layer(x, w, b, y), "w requires a buffer of exactly 3 dimensions"));
    const Buffer<float> v = PACKED(packed_layer, w, w);
    const int columns = v.dim(0).extent(), panels = v.dim(2).extent();
    Buffer<float> fewer(columns, 784, panels - 1), shorter(columns, 783, panels),
        wider(2 * columns, 784, panels);
    CHECK(refused(packed_layer(x, fewer, b, y), "Input buffer w is accessed at"));
    CHECK(refused(packed_layer(x, shorter, b, y), "Input buffer w is accessed at"));
    CHECK(refused(packed_layer(x, wider, b, y), "w.extent.0"));
    CHECK(refused(packed_layer_pack_w(w, shorter.transposed(0, 1)), "packed"));
}
