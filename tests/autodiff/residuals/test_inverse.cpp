// Bounds of values computed back from results, against what float32 does.

#include "autodiff/residuals/choice/inverse.h"

#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <random>

using namespace eutectic;

namespace {

double ulps(float a, float b) {
    return std::abs(static_cast<double>(a) - b) /
           (static_cast<double>(std::nextafter(std::abs(b), INFINITY)) - std::abs(b));
}

// A float next to `exact`, above or below: what a function gives that is off by less than one unit in the
// last place.
float faithful(double exact, bool above) {
    const auto nearest = static_cast<float>(exact);
    return above ? (nearest < exact ? std::nextafter(nearest, INFINITY) : nearest)
                 : (nearest > exact ? std::nextafter(nearest, -INFINITY) : nearest);
}

// The worst that is found for x in `range`.
double worst(Invertible f, const ValueRange &range) {
    std::mt19937 engine(1);
    std::uniform_real_distribution<float> draw(static_cast<float>(range.low), static_cast<float>(range.high));
    double result = 0;
    for (int n = 0; n < 20000; n++) {
        const float x = draw(engine);
        const bool above = n % 2;
        float back = 0;
        switch (f) {
        case Invertible::log: back = std::exp(faithful(std::log(static_cast<double>(x)), above)); break;
        case Invertible::exp: back = std::log(faithful(std::exp(static_cast<double>(x)), above)); break;
        case Invertible::sqrt: back = std::sqrt(x) * std::sqrt(x); break;
        case Invertible::tanh: {
            const float y = 1 - 2 / (faithful(std::exp(2.0 * x), above) + 1);
            back = std::log((1 + y) / (1 - y)) / 2;
            break;
        }
        case Invertible::sigmoid: {
            const float y = 1 / (1 + faithful(std::exp(-static_cast<double>(x)), above));
            back = std::log(y / (1 - y));
            break;
        }
        }
        result = std::max(result, ulps(back, x));
    }
    return result;
}

}  // namespace

TEST_CASE("no value is farther off than its bound") {
    const std::vector<std::pair<Invertible, ValueRange>> cases{
        {Invertible::log, {0.25, 4}},      {Invertible::log, {0.01, 100}},  {Invertible::log, {1e-6, 1e-5}},
        {Invertible::exp, {0.7, 9}},       {Invertible::exp, {-20, -1}},    {Invertible::exp, {0.01, 0.02}},
        {Invertible::sqrt, {0, 1e9}},      {Invertible::tanh, {0.5, 1}},    {Invertible::tanh, {-3, -0.1}},
        {Invertible::sigmoid, {-9, -2.5}}, {Invertible::sigmoid, {0.5, 6}},
    };
    for (const auto &[f, range] : cases) {
        CAPTURE(forward_text(f, "x"));
        CAPTURE(range.low);
        CHECK(worst(f, range) <= ulps_of_inverse(f, range));
        CHECK(worst(f, range) >= ulps_of_inverse(f, range) / 20);  // nor is the bound idle
    }
}

TEST_CASE("what is refused, and why") {
    CHECK(may_invert(Invertible::log, "b", "y", ValueRange{0.25, 4}));
    CHECK(may_invert(Invertible::sqrt, "b", "y", ValueRange{0, INFINITY}));
    CHECK(may_invert(Invertible::sigmoid, "b", "y", ValueRange{-20, -3}));
    CHECK(may_invert(Invertible::log, "b", "y", std::nullopt).reason() ==
          "y = log(b), so that b could be exp(y), but no range is known for b: declare the ranges of the "
          "inputs in value_ranges");
    CHECK(may_invert(Invertible::log, "b", "y", ValueRange{0.001, 1}).reason() ==
          "y = log(b), so that b could be exp(y), but for b in [0.001, 1] that is off by up to 14.8 units in "
          "the last place, and more than 4 are refused");
    CHECK(may_invert(Invertible::exp, "a", "y", ValueRange{-1, 1}).reason() ==
          "y = exp(a), so that a could be log(y), but for a in [-1, 1] that is off without bound, and more "
          "than 4 are refused");
    for (double x = -10; x < 10; x += 0.1) {
        CHECK_FALSE(
            may_invert(Invertible::tanh, "x", "y", ValueRange{x, x + 0.1}));  // off by more than 4 everywhere
    }
}
