// Every differentiable generator against central differences in double, and its float32 kernels against the double ones.

#include "gradient_check.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace eutectic;
using namespace eutectic::test;

namespace {

struct Case {
    std::string name, generator;
    std::map<std::string, std::string> parameters;
    Shapes shapes;
    int low_label = 0, labels = 1;
};

// Odd sizes that no vector and no byte of a mask divides, and mins that are not zero.
const Extent m{4, 5}, k{-2, 7}, n{3, 11};
const Shapes dense_shapes{{"x", {k, m}}, {"w", {n, k}}, {"b", {n}}, {"y", {n, m}}};
const Shapes mlp_shapes{
    {"x", {{1, 6}, {2, 5}}},
    {"w1", {{0, 9}, {1, 6}}},
    {"b1", {{0, 9}}},
    {"w2", {{5, 4}, {0, 9}}},
    {"b2", {{5, 4}}},
    {"w3", {{-1, 3}, {5, 4}}},
    {"b3", {{-1, 3}}},
    {"labels", {{2, 5}}},
    {"loss", {}},
    {"logits", {{-1, 3}, {2, 5}}},
};
const Shapes row_shapes{{"x", {{2, 7}, {-3, 5}}}, {"y", {{2, 7}, {-3, 5}}}, {"labels", {{-3, 5}}}, {"loss", {}}};

std::vector<Case> cases() {
    const std::string widths = "6,9,4,3";
    return {
        {"dense, relu", "dense", {}, dense_shapes},
        {"dense, none", "dense", {{"activation", "none"}}, dense_shapes},
        {"dense, gelu", "dense", {{"activation", "gelu"}}, dense_shapes},
        {"dense, tanh", "dense", {{"activation", "tanh"}}, dense_shapes},
        {"dense_dropout", "dense_dropout", {{"rate", "0.3"}}, dense_shapes},
        {"mlp", "mlp", {{"widths", widths}}, mlp_shapes},
        {"mlp_loss", "mlp_loss", {{"widths", widths}}, mlp_shapes, -1, 3},
        {"softmax", "softmax", {}, row_shapes},
        {"softmax_xent", "softmax_xent", {}, row_shapes, 2, 7},
    };
}

Subject subject_of(const Case &c, const std::string &type) {
    auto parameters = c.parameters;
    parameters["type"] = type;
    return from_generator(c.generator, parameters);
}

}  // namespace

TEST_CASE("the gradients of every generator are those of central differences") {
    for (const Case &c : cases()) {
        CAPTURE(c.name);
        CHECK(gradient_error(subject_of(c, "float64"), c.shapes, 1, c.low_label, c.labels) <= gradient_tolerance);
    }
}

TEST_CASE("float32 gradients are within 1e-4 of the largest double one") {
    for (const Case &c : cases()) {
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
