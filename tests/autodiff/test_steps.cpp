// What has steps, and what a gradient is stopped at: the gradient of everything around it against central
// differences, or against the formula where those say nothing.

#include "operation_case.h"
#include "tangent_check.h"

#include "autodiff/rules/rule_list.h"
#include "autodiff/stop_gradient.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

using namespace eutectic;
using namespace eutectic::test;
using namespace Halide;

extern "C" double cubed_or_so(double x, double y) {
    return x * x * x + x * y;
}
HalidePureExtern_2(double, cubed_or_so, double, double);

namespace {

using Case = OperationCase;

const Var i("i"), j("j");

std::vector<Case> of_one_element() {
    std::vector<Case> result;
    const std::vector<std::pair<std::string, std::function<Expr(Expr)>>> functions{
        {"floor", [](Expr x) { return floor(x * 3) * x; }},
        {"ceil", [](Expr x) { return ceil(x * 3) * x * x; }},
        {"round", [](Expr x) { return sin(x) + round(x * 3); }},
        {"trunc", [](Expr x) { return x - trunc(x * 3); }},
        {"fract", [](Expr x) { return exp(fract(x * 3)); }},
        {"x - floor(x)", [](Expr x) { return (x - floor(x)) * (x - floor(x)); }},
        {"%", [](Expr x) { return (x * 3) % Expr(0.7); }},
        {"% by what varies", [](Expr x) { return Expr(2.3) % (x * x + Expr(0.4)); }},
        {"% in both", [](Expr x) { return (x * 5) % (x * Expr(0.3) + 1); }},
        {"an integer beside", [](Expr x) { return x * x - cast(f64, cast<int>(floor(x * 4))); }},
        {"an integer as a factor", [](Expr x) { return x * cast(f64, cast<int>(x * 4)); }},
        {"a condition as a factor", [](Expr x) { return x * cast(f64, x > Expr(0.1)); }},
        {"strict sums and products", [](Expr x) { return strict_float(x * x + x * 3 - x / (x + 2)); }},
        {"strict functions", [](Expr x) { return strict_float(exp(x) * max(x, x * x) + min(x, 0.2f)) * x; }},
        {"printed when", [](Expr x) { return print_when(x > 2, x * x, "never") * x; }},
    };
    for (const auto &[name, f] : functions) {
        result.push_back({name, [f = f] { return of_one(f); }, line});
    }
    return result;
}

/// A picture, linearly between its pixels at coordinates that are themselves inputs.
Subject bilinear_warp() {
    const ImageParam x(f64, 2, "x"), at(f64, 3, "at");
    const Var c("c");
    Func inside("inside"), low("low"), part("part"), y("y");
    inside(j, i, c) = at(j, i, c) * Expr(2.0) + Expr(2.5);
    low(j, i, c) = cast<int>(floor(inside(j, i, c)));
    part(j, i, c) = inside(j, i, c) - cast(f64, low(j, i, c));
    const auto pixel = [&](int dx, int dy) {
        return x(clamp(low(j, i, 0) + dx, 0, 5), clamp(low(j, i, 1) + dy, 0, 5));
    };
    const Expr u = part(j, i, 0), v = part(j, i, 1);
    y(j, i) =
        (pixel(0, 0) * (1 - u) + pixel(1, 0) * u) * (1 - v) + (pixel(0, 1) * (1 - u) + pixel(1, 1) * u) * v;
    return by_hand({x, at}, {{"y", y}});
}

float gradient_at(const std::function<Expr(Expr)> &f, float x0) {
    const ImageParam x(Float(32), 1, "x");
    Func y("y");
    y(i) = f(x(i));
    Check<float> check(by_hand({x}, {{"y", y}}), {{"x", {{0, 1}}}, {"y", {{0, 1}}}});
    check.draw(1, 0, 1);
    check.inputs.at("x").fill(x0);
    check.upstream.at("y").fill(1.0f);
    return check.gradients().at("x")(0);
}

struct Fast {
    std::string name;
    std::function<Expr(Expr)> function;
    std::function<double(double)> slope;
};

}  // namespace

TEST_CASE("roundings, remainders, integers, strictness") {
    check_cases(of_one_element());
}

TEST_CASE("a bilinear warp by its picture and by its coordinates") {
    check_cases({{"warp",
                  bilinear_warp,
                  {{"x", {{0, 6}, {0, 6}}}, {"at", {{0, 7}, {1, 4}, {0, 2}}}, {"y", {{0, 7}, {1, 4}}}}}});
}

TEST_CASE("Halide's fast functions have the derivatives of what they stand for") {
    const std::vector<Fast> all{
        {"fast_exp", [](Expr x) { return fast_exp(x); }, [](double x) { return std::exp(x); }},
        {"fast_log", [](Expr x) { return fast_log(x); }, [](double x) { return 1 / x; }},
        {"fast_exp of fast_log", [](Expr x) { return fast_exp(fast_log(x) * 2.0f + 1.0f); },
         [](double x) { return 2 * std::exp(1) * x; }},
        {"fast_pow by x", [](Expr x) { return fast_pow(x, 2.5f); },
         [](double x) { return 2.5 * std::pow(x, 1.5); }},
        {"fast_pow by y", [](Expr x) { return fast_pow(3.0f, x); },
         [](double x) { return std::pow(3, x) * std::log(3); }},
        {"fast_pow in both", [](Expr x) { return fast_pow(x, x) * 2.0f; },
         [](double x) { return 2 * std::pow(x, x) * (std::log(x) + 1); }},
    };
    for (const Fast &fast : all) {
        for (const float x : {0.25f, 1.0f, 1.75f, 3.1f}) {
            CAPTURE(fast.name);
            CAPTURE(x);
            CHECK(gradient_at(fast.function, x) == doctest::Approx(fast.slope(x)).epsilon(2e-4));
        }
    }
}

TEST_CASE("a gradient is stopped at a Func") {
    const ImageParam x(f64, 1, "x");
    Func s("s"), y("y");
    s(i) = sin(x(i)) * 3;
    stop_gradient(s);
    y(i) = s(i) * x(i);
    Check<double> check(by_hand({x}, {{"y", y}}), line);
    check.draw(1, 0, 1);
    const Buffer<double> d_x = check.gradients().at("x");
    for (int k = 2; k < 11; k++) {
        CHECK(d_x(k) == doctest::Approx(check.upstream.at("y")(k) * std::sin(check.inputs.at("x")(k)) * 3));
    }
}

TEST_CASE("a gradient is stopped at an expression, of variables of loops too") {
    const ImageParam x(f64, 2, "x");
    const RDom r = over(x, 0);
    Func y("y");
    y(i) = zero;
    y(i) += stop_gradient(x(r, i) * cast(f64, r + i)) * x(r, i);
    Check<double> check(by_hand({x}, {{"y", y}}), rows);
    check.draw(1, 0, 1);
    const Buffer<double> d_x = check.gradients().at("x");
    d_x.for_each_element([&](int k, int l) {
        CHECK(d_x(k, l) == doctest::Approx(check.upstream.at("y")(l) * check.inputs.at("x")(k, l) * (k + l)));
    });
}

TEST_CASE("the logarithm of a softmax far from 0") {
    // -log(p(label)) at logits in (-200, 200), where most p are too small for a number.
    const auto subject = [](bool inlined) {
        const ImageParam x(f64, 2, "x"), labels(Int(32), 1, "labels");
        const RDom r = over(x, 0);
        Func top("top"), e("e"), s("s"), p("p"), loss("loss");
        top(i) = f64.min();
        top(i) = max(top(i), x(r, i));
        e(j, i) = exp(x(j, i) - top(i));
        s(i) = zero;
        s(i) += e(r, i);
        p(j, i) = e(j, i) / s(i);
        const Expr label = clamp(labels(i), 2, 10);
        loss(i) = -log(inlined ? e(label, i) / s(i) : p(label, i));
        Subject result = by_hand({x, labels}, {{"loss", loss}});
        result.ranges["x"] = {-200, 200};
        return result;
    };
    const Shapes shapes{{"x", {n, m}}, {"labels", {m}}, {"loss", {m}}};
    for (const bool inlined : {false, true}) {
        Check<double> check(subject(inlined), shapes);
        check.draw(1, 2, 9);
        const Buffer<double> d_x = check.gradients().at("x"), x = check.inputs.at("x");
        TangentCheck forward(subject(inlined), shapes);
        Tensors<double> direction{{"x", x.copy()}};
        forward.set(check.inputs, check.integers, direction);
        const Buffer<double> t = forward.run().at("t_loss");
        for (int k = -3; k < 3; k++) {
            double top = -1e9, sum = 0, along = 0;
            for (int l = 2; l < 11; l++) {
                top = std::max(top, x(l, k));
            }
            for (int l = 2; l < 11; l++) {
                sum += std::exp(x(l, k) - top);
            }
            for (int l = 2; l < 11; l++) {
                const double slope =
                    std::exp(x(l, k) - top) / sum - (l == check.integers.at("labels")(k) ? 1 : 0);
                CHECK(d_x(l, k) == doctest::Approx(check.upstream.at("loss")(k) * slope));
                along += slope * x(l, k);
            }
            CHECK(t(k) == doctest::Approx(along));
        }
    }
}

TEST_CASE("a straight-through estimator") {
    // The value of round(x), the gradient of x.
    const double d = gradient_at([](Expr x) { return x + stop_gradient(round(x) - x); }, 0.7f);
    CHECK(d == 1);
}

TEST_CASE("the derivative of a call is found by its name, wherever it stands") {
    const auto subject = [](bool in_update) {
        const ImageParam x(f64, 1, "x"), u(f64, 1, "u");
        Func y("y");
        if (in_update) {
            const RDom r = over(u, 0);
            y(i) = x(i);
            y(i) += cubed_or_so(x(i) * 2, u(r)) * u(r) + 1;
        } else {
            y(i) = 1 + cubed_or_so(sin(x(i)), u(i)) * cubed_or_so(u(i), one) * x(i);
        }
        Subject result = by_hand({x, u}, {{"y", y}});
        result.externs = {{"cubed_or_so", JITExtern(static_cast<double (*)(double, double)>(cubed_or_so))}};
        return result;
    };
    RuleList rules = default_rules();
    rules.push_back({"cubed_or_so", nullptr, [](const std::vector<Expr> &a, const Expr &) {
                         return std::vector<Expr>{3 * a[0] * a[0] + a[1], a[0]};
                     }});
    const Shapes shapes{{"x", {n}}, {"u", {n}}, {"y", {n}}};
    for (const bool in_update : {false, true}) {
        CHECK(gradient_error(subject(in_update), shapes, 1, 0, 1, &rules) <= gradient_tolerance);
    }
}
