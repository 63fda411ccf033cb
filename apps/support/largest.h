#pragma once

#include <cmath>

namespace eutectic {

/// The largest of what came so far; NaN, once there is one, stays.
inline void raise(double &largest, double value) {
    largest = std::isnan(largest) || value <= largest ? largest : value;
}

}  // namespace eutectic
