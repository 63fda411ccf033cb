#pragma once

#include <cstdint>

#include "HalideRuntime.h"

namespace eutectic {

/** Element (r, c) is data[r * row + c * column]; one of the two strides is 1. */
template<typename T>
struct Matrix {
    T *data = nullptr;
    int64_t row = 0, column = 0;

    bool row_major() const {
        return column == 1;
    }
    /** From one row, or column, to the next: at least as many elements as it has. */
    int64_t leading() const {
        return row_major() ? row : column;
    }
};

/** c = a * b, of m × k and k × n elements, none of them 0. `c` is row major. */
template<typename T>
struct Multiplication {
    int64_t m = 1, n = 1, k = 1;
    Matrix<const T> a, b;
    Matrix<T> c;
};

template<typename T>
struct StridedConvolution;  // convolve.h

/** What a library does, on the calling thread alone; null where it has no such product. They return 0, or an
 * error of HalideRuntime.h. `convolve` says whether it did: convolutions that it leaves become products. */
struct Multiply {
    int (*floats)(const Multiplication<float> &) = nullptr;
    int (*doubles)(const Multiplication<double> &) = nullptr;
    bool (*convolve)(const StridedConvolution<float> &) = nullptr;
};

/** What product.h says, by `multiply`. */
int multiply_buffers(const Multiply &multiply, halide_buffer_t *a, halide_buffer_t *b, int32_t k_min,
                     int32_t k_extent, int32_t a_dims, int32_t b_dims, int32_t tasks, halide_buffer_t *c);

}  // namespace eutectic
