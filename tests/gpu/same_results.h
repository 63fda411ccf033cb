#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace eutectic::test {

/** Checks that what a device computed is what is `expected`, all of it finite, to 2e-5 of the largest value.
 */
inline void check_same(const std::vector<double> &got, const std::vector<double> &expected) {
    REQUIRE(got.size() == expected.size());
    double largest = 0, difference = 0;
    size_t where = 0;
    for (size_t i = 0; i < expected.size(); i++) {
        REQUIRE(std::isfinite(expected[i]));
        largest = std::max(largest, std::abs(expected[i]));
        const double d = std::isfinite(got[i]) ? std::abs(got[i] - expected[i]) : HUGE_VAL;
        where = d > difference ? i : where;
        difference = std::max(difference, d);
    }
    INFO("element " << where << ": " << got[where] << " instead of " << expected[where]);
    CHECK(difference <= 2e-5 * std::max(1e-3, largest));
}

}  // namespace eutectic::test
