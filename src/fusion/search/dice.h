#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <random>

namespace eutectic {

/** Numbers that follow from the seed alone on every platform, unlike those of the standard library's
 * distributions. */
class Dice {
public:
    explicit Dice(uint64_t seed) : bits_(seed) {
    }
    /** In 0 … 1. */
    double uniform() {
        return static_cast<double>(bits_() >> 11) * 0x1p-53;
    }
    size_t below(size_t n) {
        return static_cast<size_t>(uniform() * static_cast<double>(n));
    }
    bool with_probability(double p) {
        return uniform() < p;
    }
    template<typename T>
    T one_of(std::initializer_list<T> values) {
        return *(values.begin() + below(values.size()));
    }
    /** A factor around 1; its logarithm has a standard deviation of about `spread`. */
    double factor(double spread) {
        return std::exp(spread * (uniform() + uniform() + uniform() + uniform() - 2) * std::sqrt(3.0));
    }

private:
    std::mt19937_64 bits_;
};

}  // namespace eutectic
