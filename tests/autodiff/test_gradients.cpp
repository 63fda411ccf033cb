// Every differentiable generator against central differences in double, and its float32 kernels against the
// double ones.

#include "gradient_cases.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

using namespace eutectic;
using namespace eutectic::test;

namespace {

// Within 1e-14 of the largest.
void check_close(const Tensors<double> &expected, const Tensors<double> &got) {
    for (const auto &[name, want] : expected) {
        CAPTURE(name);
        double worst = 0, largest = 1;
        want.for_each_element([&, &wanted = want, &have = got.at(name)](const int *at) {
            const double error = std::abs(wanted(at) - have(at));
            worst = std::isnan(error) ? INFINITY : std::max(worst, error);
            largest = std::max(largest, std::abs(wanted(at)));
        });
        CHECK(worst <= 1e-14 * largest);
    }
}

}  // namespace

/** Where each case means two compilations more: always every third one from `first` on, all with the slow
 * tests. */
static std::vector<GradientCase> some_cases(size_t first) {
    const std::vector<GradientCase> all = gradient_cases();
    if (std::getenv("EUTECTIC_ALL_CASES")) {
        return all;
    }
    std::vector<GradientCase> some;
    for (size_t i = first; i < all.size(); i += 3) {
        some.push_back(all[i]);
    }
    return some;
}

TEST_CASE("every generator is differentiable, and checked") {
    for (const std::string &name : Halide::Internal::GeneratorRegistry::enumerate()) {
        const auto ends_with = [&](const std::string &end) {
            return name.size() > end.size() && name.substr(name.size() - end.size()) == end;
        };
        if (ends_with("_forward") || ends_with("_backward") || ends_with("_gradient")) {
            continue;
        }
        CAPTURE(name);
        const auto all = gradient_cases();
        CHECK(
            std::any_of(all.begin(), all.end(), [&](const GradientCase &c) { return c.generator == name; }));
        for (const char *part : {"_backward", "_gradient"}) {
            CHECK_NOTHROW(Halide::Internal::GeneratorRegistry::create(
                name + part, Halide::GeneratorContext(Halide::get_jit_target_from_environment())));
        }
    }
}

TEST_CASE("the gradients of every generator are those of central differences") {
    for (const GradientCase &c : gradient_cases()) {
        CAPTURE(c.name);
        CHECK(gradient_error(subject_of(c, "float64"), c.shapes, 1, c.low_label, c.labels) <=
              gradient_tolerance);
    }
}

// What the pair computes, in one pipeline, which may write an exponential over a sum as a quotient.
TEST_CASE("values and gradients in one pipeline are those of the pair") {
    for (const GradientCase &c : some_cases(1)) {
        CAPTURE(c.name);
        Subject joint = subject_of(c, "float64");
        joint.problem.joint = true;
        Check<double> pair(subject_of(c, "float64"), c.shapes), one(std::move(joint), c.shapes);
        CHECK(one.differentiated().residuals.empty());
        pair.draw(5, c.low_label, c.labels);
        one.draw(5, c.low_label, c.labels);
        check_close(pair.gradients(), one.gradients());
        check_close(pair.outputs, one.outputs);
    }
}

TEST_CASE("float32 gradients are within 1e-4 of the largest double one") {
    for (const GradientCase &c : some_cases(0)) {
        CAPTURE(c.name);
        Check<double> exact(subject_of(c, "float64"), c.shapes);
        Check<float> single(subject_of(c, "float32"), c.shapes);
        exact.draw(3, c.low_label, c.labels);
        single.draw(3, c.low_label, c.labels);
        // The same inputs: the double ones rounded to float.
        for (const auto *set : {&exact.inputs, &exact.upstream}) {
            for (auto [name, buffer] : *set) {
                auto &rounded = set == &exact.inputs ? single.inputs.at(name) : single.upstream.at(name);
                buffer.for_each_element([&, &b = buffer](const int *at) {
                    rounded(at) = static_cast<float>(b(at));
                    b(at) = rounded(at);
                });
            }
        }
        const auto expected = exact.gradients();
        const auto got = single.gradients();
        for (const auto &[name, e] : expected) {
            CAPTURE(name);
            double largest = 0, worst = 0;
            e.for_each_element([&, &want = e, &have = got.at(name)](const int *at) {
                largest = std::max(largest, std::abs(want(at)));
                worst = std::max(worst, std::abs(want(at) - static_cast<double>(have(at))));
            });
            CHECK(largest > 0);
            CHECK(worst <= 1e-4 * largest);
        }
    }
}
