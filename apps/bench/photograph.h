#pragma once

#include "apps/support/kernel.h"

#include <cstdint>
#include <string>
#include <vector>

namespace eutectic::bench {

/// How an input is filled from the photograph: a letter a dimension, innermost first. x and y are columns and
/// rows; c are the colours red, green and blue, then alpha (which is the green of another place); n are
/// photographs, each a little further to the right and below. Without c it is green.
struct Exposure {
    std::string axes;
    bool mosaic = false;       ///< each pixel has one colour, green red / blue green, as sensors have them
    double low = 0, high = 1;  ///< what black and white become
};

/// A photograph that continues mirrored beyond its borders.
class Photograph {
public:
    /// Reads a binary portable pixmap (P6, 8 bits). Throws std::runtime_error, naming the file, if it is
    /// none.
    explicit Photograph(const std::string &file);

    /// Writes every element. Throws std::runtime_error if the axes are not as many as the tensor's
    /// dimensions.
    void fill(Tensor &tensor, const Exposure &exposure) const;

private:
    double share(int x, int y, int colour) const;  // 0…1

    int width_ = 0, height_ = 0;
    std::vector<uint8_t> bytes_;
};

}  // namespace eutectic::bench
