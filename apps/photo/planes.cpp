#include "apps/photo/planes.h"

#include "apps/support/random.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace eutectic::photo {

namespace {

constexpr int colours = 3;

/// NaN becomes 0.
uint8_t byte_of(double value) {
    return static_cast<uint8_t>(value >= 0 ? std::min(value + 0.5, 255.0) : 0);
}

void require_one_size(const Picture &a, const Picture &b) {
    if (a.columns != b.columns || a.rows != b.rows) {
        throw std::logic_error("pictures of different sizes");
    }
}

/// (1 2 1)/4 along a line of `count` values `stride` apart, its ends repeated.
void blur_line(float *line, int count, int64_t stride) {
    float before = line[0];
    for (int i = 0; i < count; i++) {
        const float here = line[i * stride], after = line[std::min(i + 1, count - 1) * stride];
        line[i * stride] = (before + 2 * here + after) / 4;
        before = here;
    }
}

}  // namespace

Floats planes_of(const Picture &picture) {
    Floats planes(picture.columns, picture.rows, colours);
    const uint8_t *at = picture.colours.data();
    for (int y = 0; y < picture.rows; y++) {
        for (int x = 0; x < picture.columns; x++) {
            for (int c = 0; c < colours; c++) {
                planes(x, y, c) = static_cast<float>(*at++) / 255;
            }
        }
    }
    return planes;
}

Picture picture_of(const Floats &planes) {
    Picture picture{planes.width(), planes.height()};
    picture.colours.resize(planes.number_of_elements());
    uint8_t *at = picture.colours.data();
    for (int y = 0; y < picture.rows; y++) {
        for (int x = 0; x < picture.columns; x++) {
            for (int c = 0; c < colours; c++) {
                *at++ = byte_of(255 * static_cast<double>(planes(x, y, c)));
            }
        }
    }
    return picture;
}

double psnr_of(double mean_square) {
    return -10 * std::log10(mean_square);
}

double psnr(const Picture &a, const Picture &b) {
    require_one_size(a, b);
    double sum = 0;
    for (size_t i = 0; i < a.colours.size(); i++) {
        const double apart = (a.colours[i] - b.colours[i]) / 255.0;
        sum += apart * apart;
    }
    return psnr_of(sum / static_cast<double>(a.colours.size()));
}

Picture difference(const Picture &a, const Picture &b) {
    require_one_size(a, b);
    Picture result = a;
    for (size_t i = 0; i < a.colours.size(); i++) {
        result.colours[i] = static_cast<uint8_t>(std::clamp(128 + 4 * (a.colours[i] - b.colours[i]), 0, 255));
    }
    return result;
}

Picture beside(const Picture &left, const Picture &right) {
    constexpr int line = 4;  // pixels
    Picture result{left.columns + line + right.columns, left.rows};
    for (int y = 0; y < left.rows; y++) {
        const auto add = [&](const Picture &from) {
            const auto row = from.colours.begin() + int64_t{colours} * from.columns * y;
            result.colours.insert(result.colours.end(), row, row + int64_t{colours} * from.columns);
        };
        add(left);
        result.colours.insert(result.colours.end(), colours * line, 255);
        add(right);
    }
    return result;
}

Picture degraded(const Picture &picture, uint64_t seed) {
    Floats planes = planes_of(picture);
    for (int c = 0; c < colours; c++) {
        for (int pass = 0; pass < 2; pass++) {
            for (int y = 0; y < picture.rows; y++) {
                blur_line(&planes(0, y, c), picture.columns, 1);
            }
            for (int x = 0; x < picture.columns; x++) {
                blur_line(&planes(x, 0, c), picture.rows, picture.columns);
            }
        }
    }
    Random random(seed);
    planes.for_each_value([&](float &value) {
        // Three numbers of variance 1/3 each: some normal distribution.
        const float noise = random.symmetric() + random.symmetric() + random.symmetric();
        value = 0.14f + (0.5f + 0.16f * value) * value + noise * (5.0f / 255);
    });
    return picture_of(planes);
}

}  // namespace eutectic::photo
