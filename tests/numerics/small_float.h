#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace eutectic::numerics {

/// A floating-point number of 16 bits in memory, as IEEE 754 lays them out: a sign, an exponent, a mantissa
/// without its leading one.
template<int exponent_bits>
class SmallFloat {
    static constexpr int mantissa_bits = 15 - exponent_bits;
    static constexpr int bias = (1 << (exponent_bits - 1)) - 1;
    static constexpr int special = (1 << exponent_bits) - 1;  ///< the exponent of infinities and NaNs

public:
    SmallFloat() = default;

    /// The nearest number, of two the even one. Beyond the largest: infinity.
    explicit SmallFloat(double value) {
        bits_ = static_cast<uint16_t>(std::signbit(value) << 15);
        if (std::isnan(value)) {
            bits_ |= special << mantissa_bits | 1 << (mantissa_bits - 1);
            return;
        }
        int exponent = 1 - bias;  // of the smallest normal number, and of all below it
        if (std::isfinite(value) && value != 0) {
            exponent = std::max(exponent, std::ilogb(value));
        }
        // In units of the last place. A mantissa that rounds up to the next power of two, or to infinity,
        // carries into the exponent.
        const double units = std::nearbyint(std::scalbn(std::abs(value), mantissa_bits - exponent));
        const double code = units + static_cast<double>((exponent + bias - 1) * (1 << mantissa_bits));
        bits_ |= static_cast<uint16_t>(std::min(code, static_cast<double>(special << mantissa_bits)));
    }

    explicit operator double() const {
        const int exponent = bits_ >> mantissa_bits & special, mantissa = bits_ & ((1 << mantissa_bits) - 1);
        double value = 0;
        if (exponent == special) {
            value =
                mantissa ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity();
        } else if (exponent == 0) {
            value = std::scalbn(mantissa, 1 - bias - mantissa_bits);
        } else {
            value = std::scalbn(mantissa + (1 << mantissa_bits), exponent - bias - mantissa_bits);
        }
        return bits_ >> 15 ? -value : value;
    }

    uint16_t bits() const {
        return bits_;
    }

private:
    uint16_t bits_ = 0;
};

using Float16 = SmallFloat<5>;
using Bfloat16 = SmallFloat<8>;

}  // namespace eutectic::numerics
