// Sums over values that do not vary along their loop, or along a part of it: each counts as often as it is
// added.

#include "operation_case.h"

#include <doctest/doctest.h>

using namespace eutectic;
using namespace eutectic::test;
using namespace Halide;

namespace {

using Case = OperationCase;

const Var i("i"), j("j");
const Shapes of_rows{{"x", {n, m}}, {"w", {m}}, {"c", {}}, {"y", {m}}};
const Shapes of_all{{"x", {n, m}}, {"w", {m}}, {"c", {}}, {"y", {}}};

struct Parts {
    Func y;
    ImageParam x;
    Func v;  // 3 w(i)
    Expr c;  // 2 c
    RDom r, all;
};

Case sum_of(const std::string &name, const Shapes &shapes, const std::function<void(Parts)> &define) {
    return {name,
            [=] {
                const ImageParam x(f64, 2, "x"), w(f64, 1, "w"), c(f64, 0, "c");
                Func y("y"), v("v"), twice("twice");
                v(i) = w(i) * 3;
                twice() = c() * 2;
                define({y, x, v, twice(), over(x, 0),
                        RDom({{x.dim(0).min(), x.dim(0).extent()}, {x.dim(1).min(), x.dim(1).extent()}})});
                return by_hand({x, w, c}, {{"y", y}});
            },
            shapes};
}

}  // namespace

TEST_CASE("a sum over values that do not vary along its loop") {
    check_cases({
        sum_of("beside one that does", of_rows,
               [](const Parts &p) {
                   p.y(i) = zero;
                   p.y(i) += p.x(p.r, i) + p.v(i) * p.c;
               }),
        sum_of("logarithms of softmax", of_rows,
               [](const Parts &p) {
                   p.y(i) = p.c;
                   p.y(i) += p.x(p.r, i) - p.v(i) - log(p.v(i) + 4);
               }),
        sum_of("where a predicate holds", of_rows,
               [](const Parts &p) {
                   RDom even = over(p.x, 0);
                   even.where(even % 2 == 0);
                   p.y(i) = p.c;
                   p.y(i) += p.x(even, i) + p.v(i) * p.v(i);
               }),
        sum_of("where a condition of two holds", of_rows,
               [](const Parts &p) {
                   RDom even = over(p.x, 0);
                   even.where(even % 2 == 0);
                   p.y(i) = p.c;
                   p.y(i) += select(even % 3 == 0, p.x(even, i) + p.v(i) * 3, p.x(even, i));
               }),
        sum_of("along one of two", of_all,
               [](const Parts &p) {
                   p.y() = zero;
                   p.y() += p.x(p.all.x, p.all.y) + p.v(p.all.y) * p.v(p.all.y) + p.c;
               }),
        sum_of("into rows", of_rows,
               [](const Parts &p) {
                   p.y(i) = zero;
                   p.y(p.all.y) += p.x(p.all.x, p.all.y) * 2 + p.c * p.v(p.all.y);
               }),
        sum_of("subtracted", of_rows,
               [](const Parts &p) {
                   p.y(i) = zero;
                   p.y(i) -= p.x(p.r, i) + p.v(i) + p.c * p.c;
               }),
    });
}
