// dropout_forward and dropout_backward come out of two processes that share nothing but the generator: they
// must draw the same mask.

#include "dropout_pair_backward.h"
#include "dropout_pair_forward.h"

#include <HalideBuffer.h>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>

namespace {

using Tensor = Halide::Runtime::Buffer<float, 2>;

// Which elements of `rows` rows of `cols`, the first at (left, top), pass, by the forward and by the
// backward.
void check_masks(int cols, int rows, int left, int top, std::uint32_t seed) {
    CAPTURE(cols);
    CAPTURE(seed);
    Tensor x(cols, rows), y(cols, rows), d_y(cols, rows), d_x(cols, rows);
    for (Tensor *t : {&x, &y, &d_y, &d_x}) {
        t->set_min(left, top);
    }
    x.fill(2);
    d_y.fill(3);
    y.fill(NAN);
    d_x.fill(NAN);
    REQUIRE(dropout_pair_forward(x, seed, y) == 0);
    REQUIRE(dropout_pair_backward(nullptr, seed, nullptr, d_y, d_x) == 0);
    int different = 0, passed = 0;
    y.for_each_element([&](int j, int i) {
        const bool forward = y(j, i) != 0, backward = d_x(j, i) != 0;
        different += forward != backward || std::isnan(y(j, i)) || std::isnan(d_x(j, i));
        passed += forward;
        // Scaled alike, too.
        different += std::abs(y(j, i) / 2 - d_x(j, i) / 3) > 1e-6f;
    });
    CHECK(different == 0);
    const double share = static_cast<double>(passed) / (cols * rows),
                 spread = std::sqrt(0.21 / (cols * rows));
    CHECK(std::abs(share - 0.7) < 5 * spread);
}

}  // namespace

TEST_CASE("the backward's mask is the forward's, bit by bit") {
    for (const std::uint32_t seed : {0u, 1u, 7u, 0xFFFFFFFFu}) {
        check_masks(512, 64, 0, 0, seed);
        check_masks(333, 17, -5, 1000, seed);
        check_masks(1, 999, 3, -2, seed);
    }
}

TEST_CASE("a part of the tensor has the mask of the whole") {
    Tensor whole(64, 16), part(31, 5), ones(64, 16);
    part.set_min(17, 4);
    ones.fill(1);
    REQUIRE(dropout_pair_forward(ones, 9, whole) == 0);
    REQUIRE(dropout_pair_backward(nullptr, 9, nullptr, ones.cropped(0, 17, 31).cropped(1, 4, 5), part) == 0);
    part.for_each_element([&](int j, int i) { CHECK((part(j, i) != 0) == (whole(j, i) != 0)); });
}
