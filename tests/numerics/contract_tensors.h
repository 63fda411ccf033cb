#pragma once

// Tensors for tests of a pair's interface, and a dense layer called through it.

#include <HalideBuffer.h>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

namespace eutectic::test {

template<typename T>
using Tensor = Halide::Runtime::Buffer<T>;

// A tensor at these mins with multiples of 1/16 that follow from the seed.
template<typename T>
Tensor<T> drawn(const std::vector<int> &extents, const std::vector<int> &mins, uint32_t seed) {
    Tensor<T> t(extents);
    t.set_min(mins);
    uint32_t state = seed * 2654435761u + 12345u;
    t.for_each_value([&](T &value) {
        state = state * 1664525u + 1013904223u;
        value = static_cast<T>(static_cast<int>(state >> 27) - 16) / 16;
    });
    return t;
}

template<typename T>
Tensor<T> like(const Tensor<T> &of) {
    Tensor<T> t = Tensor<T>::make_with_shape_of(of);
    t.fill(static_cast<T>(NAN));
    return t;
}

template<typename T>
using Tensors = std::vector<Tensor<T>>;

// y and the gradients of a dense layer of m rows, through what `kept` allocates.
template<typename T, typename Kept>
Tensors<T> dense(Kept &&kept, int m, int k, int n, int row, int col) {
    Tensor<T> x = drawn<T>({k, m}, {0, row}, 1), w = drawn<T>({n, k}, {col, 0}, 2),
              b = drawn<T>({n}, {col}, 3), d_y = drawn<T>({n, m}, {col, row}, 4);
    Tensor<T> y = like(d_y), d_x = like(x), d_w = like(w), d_b = like(b);
    REQUIRE(kept.allocate({x, w, b}, {y}) == 0);
    REQUIRE(kept.forward({x, w, b}, {y}) == 0);
    REQUIRE(kept.backward({x, w, b}, {y}, {d_y}, {d_x, d_w, d_b}) == 0);
    return {y, d_x, d_w, d_b};
}

inline void check_same(const Tensor<float> &got, const Tensor<float> &wanted) {
    int different = 0;
    wanted.for_each_element(
        [&](const int *at) { different += std::memcmp(&got(at), &wanted(at), sizeof(float)) != 0; });
    CHECK(different == 0);
}

// In float32, against the scalar program in double: within 1e-5 of the largest.
inline void check_close(const Tensors<float> &got, const Tensors<double> &wanted) {
    REQUIRE(got.size() == wanted.size());
    for (size_t i = 0; i < got.size(); i++) {
        CAPTURE(i);
        double largest = 0, error = 0;
        wanted[i].for_each_value([&](double value) { largest = std::max(largest, std::abs(value)); });
        wanted[i].for_each_element([&](const int *at) {
            const double difference = std::abs(static_cast<double>(got[i](at)) - wanted[i](at));
            error = difference <= error ? error : difference;  // keeps a NaN
        });
        CHECK(largest > 0);
        CHECK(error <= 1e-5 * largest);
    }
}

}  // namespace eutectic::test
