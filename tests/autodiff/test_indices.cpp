// Index arithmetic that Halide cannot invert, and buffers that are read at their own edges.

#include "operation_case.h"

#include "autodiff/checkpoint.h"

#include <doctest/doctest.h>

using namespace eutectic;
using namespace eutectic::test;
using namespace Halide;

namespace {

const Var i("i"), j("j"), k("k");

/// One step of a sorting network of 8 elements: each is compared with the one whose number differs in one
/// bit.
Expr compared(const Func &before, const Expr &at, int bit, int block) {
    const Expr other = clamp(at ^ bit, 0, 7);
    const Expr rising = (at & block) == 0, is_first = other > at;
    return select(rising == is_first, min(before(at), before(other)), max(before(at), before(other)));
}

Subject sorting_network() {
    return one_input(1, [](Func y, ImageParam x) {
        Func step = Func(x);
        for (int block = 2; block <= 8; block *= 2) {
            for (int bit = block / 2; bit > 0; bit /= 2) {
                Func next("next");
                next(i) = compared(step, i, bit, block);
                // Each step is read where it is stored: Halide 21 finds no bounds for clamp(clamp(i ^ 1, 0,
                // 7) ^ 2, 0, 7), whose outer clamp its simplifier drops.
                step = checkpoint(next);
            }
        }
        y(i) = step(i) * cast(f64, i + 1);
    });
}

Subject gather_through_edges() {
    const ImageParam x(f64, 1, "x"), at(Int(32), 1, "at");
    const Func edge = BoundaryConditions::repeat_edge(x);
    Func e("e"), y("y");
    e(i) = exp(edge(i));
    y(i) = edge(at(i) - 1) * edge(at(i) + 1);
    return by_hand({x, at}, {{"y", y}});
}

Subject gather_of_edges() {
    const ImageParam x(f64, 1, "x"), at(Int(32), 1, "at");
    Func e("e"), y("y");
    e(i) = exp(x(i));
    const Func edge = BoundaryConditions::repeat_edge(e, {{0, 4}});
    y(i) = edge(at(i) - 1) * edge(at(i) + 1);
    return by_hand({x, at}, {{"y", y}});
}

Subject two_time_steps(int steps) {
    return one_input(1, [=](Func y, ImageParam u) {
        const RDom r(0, steps);
        Func wave("wave");
        const Expr last = max(r - 1, 0), here = clamp(i, 1, 7);
        wave(i, k) = u(clamp(i, 0, 8));
        wave(i, r + 1) = wave(i, r) * 2 - wave(i, last) + wave(i, r) * wave(i, last);
        y(i) = wave(i, steps) + cast(f64, here);
    });
}

Subject scan(const std::function<Expr(Func, RDom, ImageParam)> &step) {
    return one_input(1, [&](Func y, ImageParam x) {
        const RDom r(x.dim(0).min() + 1, x.dim(0).extent() - 1);
        y(i) = x(i);
        y(r) = step(y, r, x);
    });
}

}  // namespace

TEST_CASE("a sorting network") {
    check_cases({{"of 8", sorting_network, {{"x", {{0, 8}}}, {"y", {{0, 8}}}}}});
}
TEST_CASE("gathers through boundary conditions") {
    const Shapes shapes{{"x", {{0, 4}}}, {"at", {n}}, {"y", {n}}};
    CHECK(gradient_error(gather_through_edges(), shapes, 1, 0, 4) <= gradient_tolerance);
    CHECK(gradient_error(gather_of_edges(), shapes, 1, 0, 4) <= gradient_tolerance);
}
TEST_CASE("two time steps, the first of which is its own past") {
    check_cases({{"one", [] { return two_time_steps(1); }, {{"x", {{0, 9}}}, {"y", {{0, 9}}}}},
                 {"five", [] { return two_time_steps(5); }, {{"x", {{0, 9}}}, {"y", {{0, 9}}}}}});
}
TEST_CASE("scans of length 1") {
    for (const int length : {1, 2, 3}) {
        const Shapes shapes{{"x", {{2, length}}}, {"y", {{2, length}}}};
        check_cases(
            {{"sum", [] { return scan([](Func y, RDom r, ImageParam x) { return y(r - 1) + x(r); }); },
              shapes},
             {"product", [] { return scan([](Func y, RDom r, ImageParam x) { return y(r - 1) * x(r); }); },
              shapes},
             {"recurrence",
              [] { return scan([](Func y, RDom r, ImageParam x) { return sin(y(r - 1)) * x(r) + y(r); }); },
              shapes}});
    }
}
