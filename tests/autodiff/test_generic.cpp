// What no rule covers: Halide's calculus through leaves, regions and edges.

#include "gradient_check.h"

#include <doctest/doctest.h>

#include <functional>

using namespace eutectic;
using namespace eutectic::test;
using namespace Halide;

namespace {

const Type f64 = Float(64);
const Var i("i"), j("j"), c("c");
const Expr zero = cast(f64, 0);
const Extent n{2, 9}, m{-3, 6};

struct Case {
    std::string name;
    std::function<Subject()> subject;
    Shapes shapes;
};

Subject one_input(int dimensions, const std::function<void(Func, ImageParam)> &define) {
    const ImageParam x(f64, dimensions, "x");
    Func y("y");
    define(y, x);
    return by_hand({x}, {{"y", y}});
}

std::vector<Case> shifts_and_edges() {
    return {
        {"transpose and scale",
         [] { return one_input(2, [](Func y, ImageParam x) { y(j, i) = x(i, j) * x(i, j) * 3; }); },
         {{"x", {m, n}}, {"y", {n, m}}}},
        {"shifted",
         [] { return one_input(1, [](Func y, ImageParam x) { y(i) = x(i + 4) * 2; }); },
         {{"x", {{6, 9}}}, {"y", {n}}}},
        {"stencil over an inner Func",
         [] {
             return one_input(1, [](Func y, ImageParam x) {
                 Func sq("sq");
                 sq(i) = x(i) * x(i);
                 y(i) = sq(i - 1) + 2 * sq(i) + 3 * sq(i + 1);
             });
         },
         {{"x", {{1, 11}}}, {"y", {n}}}},
        {"clamped edges",
         [] {
             return one_input(1, [](Func y, ImageParam x) {
                 const Func edge = BoundaryConditions::repeat_edge(x);
                 y(i) = edge(i - 1) * edge(i) + edge(i + 2);
             });
         },
         {{"x", {n}}, {"y", {n}}}},
        {"zero edges",
         [] {
             return one_input(1, [](Func y, ImageParam x) {
                 const Func edge = BoundaryConditions::constant_exterior(x, zero);
                 y(i) = edge(i - 1) * edge(i + 1);
             });
         },
         {{"x", {n}}, {"y", {n}}}},
    };
}

std::vector<Case> resampling_and_reshapes() {
    return {
        {"every other",
         [] { return one_input(1, [](Func y, ImageParam x) { y(i) = x(2 * i + 1) * x(2 * i); }); },
         {{"x", {{4, 18}}}, {"y", {n}}}},
        {"each twice",
         [] { return one_input(1, [](Func y, ImageParam x) { y(i) = x(i / 2) * cast(f64, i); }); },
         {{"x", {{1, 5}}}, {"y", {n}}}},
        {"the diagonal",
         [] { return one_input(2, [](Func y, ImageParam x) { y(i) = x(i, i) * x(i, i) * 3; }); },
         {{"x", {n, {1, 11}}}, {"y", {n}}}},
        {"beside the diagonal",
         [] { return one_input(2, [](Func y, ImageParam x) { y(i) = x(i + 1, i) * 3; }); },
         {{"x", {{2, 10}, n}}, {"y", {n}}}},
        {"reshape",
         [] { return one_input(2, [](Func y, ImageParam x) { y(i) = x(i % 4, i / 4) * x(i % 4, i / 4); }); },
         {{"x", {{0, 4}, {0, 5}}}, {"y", {{0, 20}}}}},
        {"flatten",
         [] { return one_input(1, [](Func y, ImageParam x) { y(j, i) = x(j + 4 * i) * x(j + 4 * i); }); },
         {{"x", {{0, 20}}}, {"y", {{0, 4}, {0, 5}}}}},
        {"a window along the diagonal of an inner Func",
         [] {
             return one_input(2, [](Func y, ImageParam x) {
                 RDom r(0, 3, 0, 2);
                 Func e("e");
                 e(j, i) = exp(x(j, i));
                 y(i) = zero;
                 y(i) += e(i + r.x, i + r.y) * cast(f64, i);
             });
         },
         {{"x", {{2, 11}, {2, 10}}}, {"y", {n}}}},
    };
}

std::vector<Case> reductions() {
    return {
        {"total of a square",
         [] {
             return one_input(2, [](Func y, ImageParam x) {
                 RDom r({{x.dim(0).min(), x.dim(0).extent()}, {x.dim(1).min(), x.dim(1).extent()}});
                 y() = zero;
                 y() += x(r.x, r.y) * x(r.x, r.y);
             });
         },
         {{"x", {n, m}}, {"y", {}}}},
        {"a predicate over the reduction",
         [] {
             return one_input(2, [](Func y, ImageParam x) {
                 RDom r({{x.dim(0).min(), x.dim(0).extent()}, {x.dim(0).min(), x.dim(0).extent()}});
                 r.where(r.x <= r.y);
                 y(i) = zero;
                 y(i) += x(r.x, i) * x(r.y, i);
             });
         },
         {{"x", {n, m}}, {"y", {m}}}},
        {"two updates",
         [] {
             return one_input(2, [](Func y, ImageParam x) {
                 RDom r(x.dim(0).min(), x.dim(0).extent());
                 y(i) = x(3, i);
                 y(i) += x(r, i) * 2;
                 y(i) += exp(x(r, i));
             });
         },
         {{"x", {n, m}}, {"y", {m}}}},
    };
}

std::vector<Case> updates_in_place() {
    return {
        {"scatter",
         [] {
             return one_input(1, [](Func y, ImageParam x) {
                 RDom r(x.dim(0).min(), x.dim(0).extent());
                 y(i) = zero;
                 y(clamp(r * 3 % 5, 0, 4)) += x(r) * x(r);
             });
         },
         {{"x", {n}}, {"y", {{0, 5}}}}},
        {"updates that scale and replace",
         [] {
             return one_input(1, [](Func y, ImageParam x) {
                 RDom r(3, 4);
                 y(i) = x(i) * x(i);
                 y(i) = y(i) / 2 + x(i);
                 y(r) = x(r) * x(2);
                 y(5) = x(9) * 2;
             });
         },
         {{"x", {n}}, {"y", {n}}}},
    };
}

std::vector<Case> functions_and_convolutions() {
    return {
        {"math functions",
         [] {
             return one_input(1, [](Func y, ImageParam x) {
                 const Expr e = x(i);
                 y(i) = sin(e) * sqrt(e * e + 1) + log(e * e + 2) / (e + 3) + pow(e + 2, cast(f64, 3)) +
                        abs(e + 5) + atan(e);
             });
         },
         {{"x", {n}}, {"y", {n}}}},
        {"convolution",
         [] {
             const ImageParam x(f64, 2, "x"), w(f64, 3, "w");
             RDom r({{w.dim(0).min(), w.dim(0).extent()}, {w.dim(1).min(), w.dim(1).extent()}});
             Func y("y");
             y(j, i, c) = zero;
             y(j, i, c) += x(j + r.x, i + r.y) * w(r.x, r.y, c);
             return by_hand({x, w}, {{"y", y}});
         },
         {{"x", {{1, 8}, {2, 7}}}, {"w", {{-1, 3}, {-1, 3}, {4, 2}}}, {"y", {{2, 6}, {3, 5}, {4, 2}}}}},
    };
}

std::vector<Case> gathers() {
    return {
        {"gather of rows by integers",
         [] {
             const ImageParam x(f64, 2, "x"), labels(Int(32), 1, "labels");
             Func y("y");
             y(j, i) = x(j, clamp(labels(i), x.dim(1).min(), x.dim(1).max()));
             return by_hand({x, labels}, {{"y", y}});
         },
         {{"x", {n, {0, 4}}}, {"labels", {m}}, {"y", {n, m}}}},
        {"a shifted diagonal, shifts by integers of an inner Func",
         [] {
             const ImageParam x(f64, 2, "x"), labels(Int(32), 1, "labels");
             Func shift("shift"), y("y");
             shift(i) = labels(i) * labels(i);
             y(j, i) = x(j + clamp(shift(i + 1), 0, 4), j) * x(clamp(shift(i), 0, 4) + i, i);
             return by_hand({x, labels}, {{"y", y}});
         },
         {{"x", {{-3, 20}, {-3, 20}}}, {"labels", {{-3, 7}}}, {"y", {n, m}}}},
    };
}

std::vector<Case> several_readers() {
    return {
        {"two outputs, one feeding the other",
         [] {
             const ImageParam x(f64, 1, "x");
             Func y("y"), u("u");
             y(i) = x(i) * x(i);
             u(i) = y(i) * x(i);
             return by_hand({x}, {{"y", y}, {"u", u}});
         },
         {{"x", {n}}, {"y", {n}}, {"u", {n}}}},
        {"one Func read three ways",
         [] {
             return one_input(2, [](Func y, ImageParam x) {
                 RDom r(x.dim(0).min(), x.dim(0).extent());
                 Func e("e"), s("s");
                 e(j, i) = exp(x(j, i));
                 s(i) = zero;
                 s(i) += e(r, i);
                 y(j, i) = e(j, i) / s(i) + e(j, i) * e(3, i);
             });
         },
         {{"x", {n, m}}, {"y", {n, m}}}},
    };
}

std::vector<Case> cases() {
    std::vector<Case> all;
    for (const std::vector<Case> &kind :
         {shifts_and_edges(), resampling_and_reshapes(), reductions(), updates_in_place(),
          functions_and_convolutions(), gathers(), several_readers()}) {
        all.insert(all.end(), kind.begin(), kind.end());
    }
    return all;
}

}  // namespace

TEST_CASE("the generic path is right") {
    for (const Case &example : cases()) {
        CAPTURE(example.name);
        CHECK(gradient_error(example.subject(), example.shapes, 21, 0, 4) <= gradient_tolerance);
    }
}

TEST_CASE("a gradient is zero where the forward does not read its input") {
    // Columns 1 … 4 are read of 0 … 6, rows by the labels' buffer only, whose values are not needed.
    const auto subject = [] {
        const ImageParam x(f64, 2, "x"), labels(Int(32), 1, "labels");
        RDom r(1, 4), rows(labels.dim(0).min(), labels.dim(0).extent());
        Func s("s"), y("y");
        s(i) = zero;
        s(i) += x(r, i) * x(r, i);
        y() = zero;
        y() += s(rows);
        return by_hand({x, labels}, {{"y", y}});
    };
    const Shapes shapes{{"x", {{0, 7}, {1, 6}}}, {"labels", {{2, 3}}}, {"y", {}}};
    CHECK(gradient_error(subject(), shapes, 22) <= gradient_tolerance);
    Check<double> check(subject(), shapes);
    check.draw(1, 0, 1);
    const Buffer<double> g = check.gradients().at("x");
    g.for_each_element([&](const int *at) {
        const bool is_read = at[0] >= 1 && at[0] <= 4 && at[1] >= 2 && at[1] <= 4;
        CHECK((g(at) != 0) == is_read);
    });
}
