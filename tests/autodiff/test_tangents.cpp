// Forward mode and Hessian-vector products of every differentiable generator, and of loops that have no way
// back.

#include "gradient_cases.h"
#include "tangent_check.h"

#include "autodiff/batch.h"

#include "base/user_error.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace eutectic;
using namespace eutectic::test;
using namespace Halide;

namespace {

const Type f64 = Float(64);
const Var i("i"), j("j");

/// Tangents of y along a random direction against central differences of y; inputs x in (0, 1).
double error_of_loop(const std::function<Subject()> &subject, const Shapes &shapes) {
    Tensors<double> inputs, direction;
    double next = 0.37;
    for (Tensors<double> *tensors : {&inputs, &direction}) {
        Buffer<double> x = Buffer<double>(shapes.at("x")[0].extent);
        x.set_min(shapes.at("x")[0].min);
        x.for_each_value([&](double &v) { v = next = std::fmod(next * 7.13 + 0.21, 1.0); });
        (*tensors)["x"] = x;
    }
    TangentCheck check(subject(), shapes);
    check.set(inputs, {}, direction);
    const Buffer<double> tangent = check.run().at("t_y");
    const auto at = [&](double step) {
        Tensors<double> moved{{"x", inputs.at("x").copy()}};
        moved["x"].for_each_element([&](int k) { moved["x"](k) += step * direction["x"](k); });
        check.set(moved, {}, direction);
        return check.run().at("y");
    };
    const Buffer<double> above = at(1e-6), below = at(-1e-6);
    double error = 0;
    tangent.for_each_element([&](int k) {
        error = std::max(error, std::abs(tangent(k) - (above(k) - below(k)) / 2e-6) /
                                    std::max(1.0, std::abs(tangent(k))));
    });
    return error;
}

}  // namespace

TEST_CASE("values with tangents") {
    for (const GradientCase &c : cases_of_each()) {
        CAPTURE(c.name);
        const TangentErrors errors =
            tangent_errors([&] { return subject_of(c, "float64"); }, c.shapes, 5, c.low_label, c.labels);
        CHECK(errors.values <= 1e-13);
        CHECK(errors.identity <= 1e-11);
        CHECK(errors.differences <= gradient_tolerance);
    }
}

TEST_CASE("gradients with tangents: Hessian-vector products") {
    for (const GradientCase &c : cases_of_each()) {
        CAPTURE(c.name);
        CHECK(hvp_error([&] { return subject_of(c, "float64"); }, c.shapes, 5, c.low_label, c.labels) <=
              gradient_tolerance);
    }
}

TEST_CASE("loops that reverse mode refuses") {
    const Shapes shapes{{"x", {{0, 8}}}, {"y", {{0, 8}}}};
    const auto loop = [](const std::function<void(Func, ImageParam)> &define) {
        return [define] {
            const ImageParam x(f64, 1, "x");
            Func y("y");
            define(y, x);
            return by_hand({x}, {{"y", y}});
        };
    };
    CHECK(error_of_loop(loop([](Func y, ImageParam x) {
                            RDom r(0, 4);
                            y(i) = x(i);
                            y(r / 2) = max(y(r / 2), x(r));
                        }),
                        shapes) <= 1e-6);
    CHECK(error_of_loop(loop([](Func y, ImageParam x) {
                            RDom r(0, 4, 0, 3);
                            y(i) = x(i);
                            y(r.x) = y(r.x) * x(r.y);
                        }),
                        shapes) <= 1e-6);
    CHECK(error_of_loop(loop([](Func y, ImageParam x) {
                            RDom r(1, 6);
                            y(i) = x(i);
                            y(r) += y(r / 2) * y(r / 2);
                        }),
                        shapes) <= 1e-6);
    CHECK(error_of_loop(loop([](Func y, ImageParam x) {
                            Func s("s");
                            RDom r(0, 5);
                            s(i) = Tuple(x(i), cast<int>(0));
                            s(i) = Tuple(s(i)[0] * s(i)[0] + x(clamp(r + i, 0, 7)), s(i)[1] + r);
                            y(i) = s(i)[0] + cast(f64, s(i)[1]);
                        }),
                        shapes) <= 1e-6);
}

TEST_CASE("a whole Hessian: a batch of directions") {
    constexpr int n = 5;
    const auto subject = [] {
        const ImageParam x(f64, 1, "x");
        const RDom r(0, n);
        Func y("y");
        y() = cast(f64, 0);
        y() += exp(x(r)) * x((r + 1) % n) * x(0);
        return by_hand({x}, {{"y", y}});
    };
    Subject own = subject();
    own.problem.joint = true;
    const Differentiated gradients = differentiate(own.problem);
    const DifferentiationProblem second = tangents_of_gradients(own.problem, gradients);
    const Tangents products = tangents_of(second);
    std::vector<Parameter> inputs = second.inputs;
    inputs.push_back(products.inputs[0].parameter());
    const Batched hessian = batch(inputs, products.tangents, {"t_x"}, n);

    Check<double> check(subject(), {{"x", {{0, n}}}, {"y", {}}});
    check.draw(3, 0, 1);
    Buffer<double> identity(n, n), h(n, n);
    identity.for_each_element([&](int a, int b) { identity(a, b) = a == b; });
    for (Parameter p : hessian.inputs) {
        p.set_buffer(p.name() == "x"     ? check.inputs.at("x")
                     : p.name() == "t_x" ? identity
                                         : check.upstream.at("y"));
    }
    every_func_at_root({hessian.outputs[0].func});
    Pipeline pipeline(hessian.outputs[0].func);
    prepare_to_run(pipeline, own);
    realize(pipeline, {h});
    for (int b = 0; b < n; b++) {
        Buffer<double> &x = check.inputs.at("x");
        const auto gradient_at = [&](double step) {
            x(b) += step;
            const Buffer<double> g = check.gradients().at("x");
            x(b) -= step;
            return g;
        };
        const Buffer<double> above = gradient_at(6e-6), below = gradient_at(-6e-6);
        for (int a = 0; a < n; a++) {
            CHECK(h(a, b) == doctest::Approx((above(a) - below(a)) / 12e-6).epsilon(1e-6));
            CHECK(h(a, b) == doctest::Approx(h(b, a)));
        }
    }
}

TEST_CASE("what has no tangent") {
    const ImageParam x(f64, 1, "x"), u(f64, 1, "u");
    Func y("y"), z("z");
    y(i) = x(i);
    z(i) = floor(u(i));
    Subject subject = by_hand({x, u}, {{"y", y}, {"z", z}});
    CHECK_THROWS_WITH_AS(
        tangents_of(subject.problem),
        "Output \"z\" has no tangent: it depends on none of the inputs in a differentiable way; "
        "leave it out of gradient_of.",
        UserError);
    subject.problem.of = {"y"};
    CHECK(tangents_of(subject.problem).tangents.size() == 1);
}
