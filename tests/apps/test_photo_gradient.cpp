// The gradients by which photo learns, in double against central differences.

#include "tests/autodiff/gradient_check.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

using namespace eutectic;
using namespace eutectic::test;

namespace {

const Shapes shapes{{"in", {{2, 13}, {-1, 11}, {0, 3}}},
                    {"wanted", {{2, 13}, {-1, 11}, {0, 3}}},
                    {"spread", {{0, 2}}},
                    {"strength", {{0, 3}}},
                    {"sharpen", {{0, 2}}},
                    {"coring", {{0, 2}}},
                    {"tone", {{0, 9}, {0, 3}}},
                    {"loss", {}}};

double largest(const Halide::Buffer<double> &tensor) {
    double most = 0;
    tensor.for_each_value([&](double v) { most = std::max(most, std::abs(v)); });
    return most;
}

/// Of the elements, relative to the largest expected one.
double error(const Halide::Buffer<double> &got, const Halide::Buffer<double> &expected) {
    double most = 0;
    expected.for_each_element([&](const int *at) {
        const double apart = std::abs(got(at) - expected(at));
        most = std::isnan(most) || apart <= most ? most : apart;
    });
    return most / largest(expected);
}

}  // namespace

TEST_CASE("photo's gradients are its differences, by every parameter and by nothing else") {
    Subject subject = from_generator("photo_loss", {{"type", "float64"}});
    // Details that the coring lets through in part, and differences in brightness that count.
    subject.ranges = {
        {"in", {0, 1}}, {"wanted", {0, 1}}, {"sharpen", {1, 3}}, {"coring", {2, 9}}, {"spread", {0.1, 0.6}}};
    Check<double> check(subject, shapes);
    for (const unsigned seed : {1u, 2u, 3u}) {
        check.draw(seed, 0, 1);
        check.upstream.at("loss")() = 1;
        const Tensors<double> gradients = check.gradients(), differences = check.differences();
        CHECK(gradients.size() == 5);
        for (const auto &[name, gradient] : gradients) {
            CAPTURE(name);
            CAPTURE(seed);
            // Differences are right to 1e-10 or so, these tensors' to one part in a million.
            CHECK(largest(differences.at(name)) > 1e-5);
            CHECK(error(gradient, differences.at(name)) < 1e-5);
        }
    }
}
