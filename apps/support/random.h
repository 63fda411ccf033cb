#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace eutectic {

/// The one source of randomness of these programs: SplitMix64 (G. Steele, D. Lea, C. Flood, "Fast splittable
/// pseudorandom number generators", OOPSLA 2014). 64 bits of state, integer arithmetic only, so every
/// platform draws the same numbers from a seed.
class Random {
public:
    explicit Random(uint64_t seed) : state_(seed) {
    }

    /// The next 64 random bits.
    uint64_t next() {
        uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
        return z ^ (z >> 31);
    }

    /// Uniform in 0 … n − 1 without bias: draws of the last, incomplete block of n values are drawn
    /// again. n ≥ 1.
    uint64_t below(uint64_t n) {
        const uint64_t rest = (UINT64_MAX % n + 1) % n;  // 2^64 mod n
        uint64_t draw = next();
        while (draw > UINT64_MAX - rest) {
            draw = next();
        }
        return draw % n;
    }

    /// Uniform in [−1, 1), a multiple of 2^−23: exact in float.
    float symmetric() {
        return static_cast<float>(static_cast<int64_t>(next() >> 40) - (int64_t{1} << 23)) * 0x1p-23f;
    }

    /// Fisher–Yates: every order of the items is equally likely.
    template<typename T>
    void shuffle(std::vector<T> &items) {
        for (uint64_t i = items.size(); i > 1; i--) {
            std::swap(items[i - 1], items[below(i)]);
        }
    }

private:
    uint64_t state_;
};

}  // namespace eutectic
