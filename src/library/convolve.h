#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "library/multiply.h"

namespace eutectic {

/** A spatial dimension: point p of the result reads the operand at scale * p + step * t, for each of `taps`
 * points t of the filter. Strides are in elements. */
struct Spatial {
    int64_t points = 1, taps = 1;
    int64_t scale = 1, step = 1;
    int64_t a = 0, b = 0, c = 0;  ///< from one point to the next: of the operand, the filter, the result
};

/** A dimension that the operand and the result have, the filter and the result, both, or, of channels, the
 * operand and the filter. */
struct Plain {
    int64_t extent = 1;
    int64_t a = 0, b = 0, c = 0;
};

/** c = sum over channels and taps of a * b, at rows (images, points) and columns (channels of the result). */
template<typename T>
struct StridedConvolution {
    std::array<Spatial, 2> spatial;
    Plain channels;
    Plain columns;
    std::vector<Plain> images;  ///< rows that are no points: of a batch
    std::vector<Plain> outer;   ///< what is gone over one by one: dims of all three
    const T *a = nullptr, *b = nullptr;
    T *c = nullptr;
};

/** A reduction variable of a call (product.h). */
struct Summed {
    int32_t min = 0, extent = 1, steps = 0x10001, offset = 0;
};

/** What a call of eutectic_..._convolution() is given. */
struct ConvolutionCall {
    halide_buffer_t *a, *b, *c;
    std::array<Summed, 3> sums;  ///< channels, and two windows
    int32_t a_dims, b_dims, tasks;
};

/** What product.h says of convolutions, by `multiply`: by its own convolutions where it takes one, otherwise
 * as products of copies of what the windows hold. */
int convolve_buffers(const Multiply &multiply, const ConvolutionCall &call);

}  // namespace eutectic
