#pragma once

#include <cstdint>

namespace eutectic::test {

/** splitmix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", OOPSLA 2014): small, and
 *  the same on every machine. */
class Random {
public:
    explicit Random(uint64_t seed) : state_(seed) {
    }
    int64_t below(int64_t n) {
        state_ += 0x9e3779b97f4a7c15ULL;
        uint64_t z = state_;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
        return static_cast<int64_t>((z ^ (z >> 31)) % static_cast<uint64_t>(n));
    }

private:
    uint64_t state_;
};

}  // namespace eutectic::test
