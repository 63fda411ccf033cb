#pragma once

#include "apps/photo/picture.h"

#include <HalideBuffer.h>

namespace eutectic::photo {

using Floats = Halide::Runtime::Buffer<float>;

/// (columns, rows, 3), 0 to 1. Throws std::bad_alloc.
Floats planes_of(const Picture &picture);

/// Rounded, what lies outside of 0 to 1 moved to its nearer end.
Picture picture_of(const Floats &planes);

/// Peak signal to noise ratio in dB of two pictures of one size: 10 log10(255^2 / mean squared difference).
/// Infinite for the same ones.
double psnr(const Picture &a, const Picture &b);

/// The same of a mean squared difference of values of 0 to 1.
double psnr_of(double mean_square);

/// a - b, four times and around a middle gray.
Picture difference(const Picture &a, const Picture &b);

/// Both beside each other, with a white line between them; of one number of rows.
Picture beside(const Picture &left, const Picture &right);

/// What a poor camera would have made of it: blurred by (1 2 1)/4 each way, twice, its tones flat and pale,
/// and noise of 5 of 255 steps, the same for a seed everywhere.
Picture degraded(const Picture &picture, uint64_t seed);

}  // namespace eutectic::photo
