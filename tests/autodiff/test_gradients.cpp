// Every differentiable generator against central differences in double, and its float32 kernels against the
// double ones. By default one case of each and every view, of which a third is looked at in one pipeline and
// another in float32; all of them with EUTECTIC_ALL_CASES set.

#include "gradient_cases.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/all_cases.h"

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

/** Where each case means two compilations more: every third one from `first` on, or all. */
std::vector<GradientCase> some_cases(size_t first) {
    const std::vector<GradientCase> all = cases_of_each();
    if (all_cases()) {
        return all;
    }
    std::vector<GradientCase> some;
    for (size_t i = first; i < all.size(); i += 3) {
        some.push_back(all[i]);
    }
    return some;
}

/** The pair in double of each case, compiled once for all tests; never destroyed, as what Halide keeps may be
 * gone at the end. */
Check<double> &pair_of(const GradientCase &c) {
    static auto &pairs = *new std::map<std::string, std::unique_ptr<Check<double>>>;
    std::unique_ptr<Check<double>> &pair = pairs[c.name];
    if (!pair) {
        pair = std::make_unique<Check<double>>(subject_of(c, "float64"), c.shapes);
    }
    return *pair;
}

/// Does it read anything by which one can differentiate?
bool reads_floats(const std::string &generator) {
    const auto made = Halide::Internal::GeneratorRegistry::create(
        generator, Halide::GeneratorContext(Halide::get_jit_target_from_environment()));
    for (const auto &info : made->arginfos()) {
        if (info.dir == Halide::Internal::ArgInfoDirection::Input && info.types.at(0).is_float()) {
            return true;
        }
    }
    return false;
}

}  // namespace

TEST_CASE("every generator is differentiable, and checked") {
    for (const std::string &name : Halide::Internal::GeneratorRegistry::enumerate()) {
        const auto ends_with = [&](const std::string &end) {
            return name.size() > end.size() && name.substr(name.size() - end.size()) == end;
        };
        const std::vector<std::string> derived{"_forward", "_backward", "_gradient",
                                               "_tangent", "_hvp",      "_batched"};
        if (std::any_of(derived.begin(), derived.end(), ends_with) || !reads_floats(name)) {
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
    for (const GradientCase &c : cases_of_each()) {
        CAPTURE(c.name);
        CHECK(gradient_error(pair_of(c), 1, c.low_label, c.labels) <= gradient_tolerance);
    }
}

// What the pair computes, in one pipeline, which may write an exponential over a sum as a quotient.
TEST_CASE("values and gradients in one pipeline are those of the pair") {
    for (const GradientCase &c : some_cases(1)) {
        CAPTURE(c.name);
        Subject joint = subject_of(c, "float64");
        joint.problem.joint = true;
        Check<double> &pair = pair_of(c), one(std::move(joint), c.shapes);
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
        Check<double> &exact = pair_of(c);
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
