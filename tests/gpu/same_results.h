#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace eutectic::test {

struct Difference {
    double largest = 0;
    size_t where = 0;  ///< the element
};

/** Of values of which as many are `expected`; infinite where something that was got is not finite. */
inline Difference difference(const std::vector<double> &got, const std::vector<double> &expected) {
    Difference result;
    for (size_t i = 0; i < expected.size(); i++) {
        const double d = std::isfinite(got[i]) ? std::abs(got[i] - expected[i]) : HUGE_VAL;
        result = d > result.largest ? Difference{d, i} : result;
    }
    return result;
}

/** Checks that what a device computed is what is `expected`, all of it finite, to 2e-5 of the largest value.
 */
inline void check_same(const std::vector<double> &got, const std::vector<double> &expected) {
    REQUIRE(got.size() == expected.size());
    double largest = 0;
    for (const double e : expected) {
        REQUIRE(std::isfinite(e));
        largest = std::max(largest, std::abs(e));
    }
    const auto [by, where] = difference(got, expected);
    INFO("element " << where << ": " << got[where] << " instead of " << expected[where]);
    CHECK(by <= 2e-5 * std::max(1e-3, largest));
}

}  // namespace eutectic::test
