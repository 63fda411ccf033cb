// Reductions and scans in small pipelines: their gradients against central differences; and where there is
// more than one answer, the documented one.

#include "operation_case.h"

#include "generators/ops.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace eutectic;
using namespace eutectic::test;
using namespace Halide;

namespace {

using Case = OperationCase;

const Var i("i"), j("j");

std::vector<Case> products() {
    return {
        {"product",
         [] {
             return one_input(2, [](Func y, ImageParam x) {
                 const RDom r = over(x, 0);
                 y(i) = one;
                 y(i) *= x(r, i) + 2;
             });
         },
         rows},
        {"Halide's product, minimum, maximum of inner values",
         [] {
             return one_input(2, [](Func y, ImageParam x) {
                 const RDom r = over(x, 0);
                 Func e("e");
                 e(j, i) = exp(x(j, i));
                 y(i) = Halide::product(e(r, i)) * Halide::maximum(e(r, i)) + Halide::minimum(x(r, i) * 3);
             });
         },
         rows},
        {"product over two dimensions with a predicate",
         [] {
             return one_input(2, [](Func y, ImageParam x) {
                 RDom r({{x.dim(0).min(), x.dim(0).extent()}, {x.dim(1).min(), x.dim(1).extent()}});
                 r.where(r.x + r.y > 3);
                 y() = one;
                 y() *= x(r.x, r.y) + Expr(1.5);
             });
         },
         {{"x", {{2, 4}, {-1, 3}}}, {"y", {}}}},
    };
}

std::vector<Case> extremes() {
    return {
        {"minimum, from a value",
         [] {
             return one_input(2, [](Func y, ImageParam x) {
                 const RDom r = over(x, 0);
                 y(i) = x(3, i) * 2;
                 y(i) = min(y(i), x(r, i));
             });
         },
         rows},
        {"maximum where a predicate holds",
         [] {
             return one_input(2, [](Func y, ImageParam x) {
                 RDom r = over(x, 0);
                 r.where(r % 2 == 0);
                 y(i) = f64.min();
                 y(i) = max(y(i), x(r, i) * 3);
             });
         },
         rows},
        {"argmax as an index, and its value",
         [] {
             const ImageParam x(f64, 2, "x"), u(f64, 1, "u");
             const RDom r = over(x, 0);
             Func best("best"), y("y");
             best(i) = Halide::argmax(x(r, i));
             y(i) = u(clamp(best(i)[0], u.dim(0).min(), u.dim(0).max())) * best(i)[1];
             return by_hand({x, u}, {{"y", y}});
         },
         {{"x", {n, m}}, {"u", {n}}, {"y", {m}}}},
    };
}

std::vector<Case> tuple_reductions() {
    return {
        {"online softmax normalizer",
         [] {
             return one_input(2, [](Func y, ImageParam x) {
                 const RDom r = over(x, 0);
                 Func s("s");
                 s(i) = Tuple(Expr(-1e9), zero);
                 const Expr top = max(s(i)[0], x(r, i));
                 s(i) = Tuple(top, s(i)[1] * exp(s(i)[0] - top) + exp(x(r, i) - top));
                 y(j, i) = exp(x(j, i) - s(i)[0]) / s(i)[1];
             });
         },
         square},
        {"Welford's mean and variance",
         [] {
             return one_input(2, [](Func y, ImageParam x) {
                 const RDom r = over(x, 0);
                 Func s("s");
                 s(i) = Tuple(zero, zero);
                 const Expr count = cast(f64, r - x.dim(0).min() + 1), delta = x(r, i) - s(i)[0],
                            mean = s(i)[0] + delta / count;
                 s(i) = Tuple(mean, s(i)[1] + delta * (x(r, i) - mean));
                 y(j, i) = (x(j, i) - s(i)[0]) / sqrt(s(i)[1] + one);
             });
         },
         square},
        {"a tuple of two independent sums",
         [] {
             return one_input(2, [](Func y, ImageParam x) {
                 const RDom r = over(x, 0);
                 Func s("s");
                 s(i) = Tuple(zero, x(2, i));
                 s(i) = Tuple(s(i)[0] + x(r, i), s(i)[1] + x(r, i) * x(r, i));
                 y(i) = s(i)[0] * s(i)[1];
             });
         },
         rows},
    };
}

std::vector<Case> sequences_of_updates() {
    return {
        {"what comes last replaces what came before",
         [] {
             return one_input(2, [](Func y, ImageParam x) {
                 const RDom r = over(x, 0);
                 y(i) = x(2, i);
                 y(i) = sin(x(r, i));
             });
         },
         rows},
        {"a square of the earlier value, then a sum, then a product",
         [] {
             return one_input(2, [](Func y, ImageParam x) {
                 const RDom r(x.dim(0).min(), 3);
                 y(i) = x(3, i) * 2;
                 y(i) = y(i) * y(i) + x(4, i);
                 y(i) += x(r, i);
                 y(i) *= exp(x(r, i));
             });
         },
         rows},
    };
}

std::vector<Case> prefix_sums_and_products() {
    return {
        {"prefix sum",
         [] {
             return one_input(2, [](Func y, ImageParam x) {
                 const RDom r(x.dim(0).min() + 1, x.dim(0).extent() - 1);
                 y(j, i) = x(j, i) * x(j, i);
                 y(r, i) += y(r - 1, i);
             });
         },
         square},
        {"suffix sum",
         [] {
             return one_input(1, [](Func y, ImageParam x) {
                 const RDom r(1, x.dim(0).extent() - 1);
                 const Expr at = x.dim(0).max() - r;
                 y(i) = x(i) * x(i);
                 y(at) = y(at) + y(at + 1);
             });
         },
         line},
        {"prefix sum of an inner Func, of which only the end is read",
         [] {
             return one_input(2, [](Func y, ImageParam x) {
                 const RDom r(x.dim(0).min() + 1, x.dim(0).extent() - 1);
                 Func s("s");
                 s(j, i) = exp(x(j, i));
                 s(r, i) += s(r - 1, i) * s(r - 1, i) / 8;
                 y(i) = s(x.dim(0).max(), i);
             });
         },
         rows},
        {"prefix product",
         [] {
             return one_input(1, [](Func y, ImageParam x) {
                 const RDom r(x.dim(0).min() + 1, x.dim(0).extent() - 1);
                 y(i) = x(i) + 2;
                 y(r) = y(r - 1) * (x(r) + 2) + y(r);
             });
         },
         line},
        {"summed-area table",
         [] {
             return one_input(2, [](Func y, ImageParam x) {
                 const RDom r({{x.dim(0).min() + 1, x.dim(0).extent() - 1},
                               {x.dim(1).min() + 1, x.dim(1).extent() - 1}});
                 y(j, i) = sin(x(j, i));
                 y(r.x, r.y) = y(r.x, r.y) + y(r.x - 1, r.y) + y(r.x, r.y - 1) - y(r.x - 1, r.y - 1);
             });
         },
         square},
    };
}

std::vector<Case> recurrences() {
    return {
        {"a recurrent network of one unit",
         [] {
             const ImageParam x(f64, 2, "x"), w(f64, 1, "w");
             const RDom r(x.dim(0).min() + 1, x.dim(0).extent() - 1);
             Func h("h"), y("y");
             h(j, i) = tanh_through_exp(x(j, i));
             h(r, i) = tanh_through_exp(w(0) * h(r - 1, i) + w(1) * x(r, i));
             y(j, i) = h(j, i) * h(j, i);
             return by_hand({x, w}, {{"y", y}});
         },
         {{"x", {n, m}}, {"w", {{0, 2}}}, {"y", {n, m}}}},
        {"a recurrence of second order that reads its old values ahead",
         [] {
             return one_input(1, [](Func y, ImageParam x) {
                 const RDom r(x.dim(0).min() + 2, x.dim(0).extent() - 3);
                 y(i) = x(i);
                 y(r) = sin(y(r - 1)) * y(r - 2) + y(r) * y(r + 1);
             });
         },
         line},
        {"running maximum",
         [] {
             return one_input(1, [](Func y, ImageParam x) {
                 const RDom r(x.dim(0).min() + 1, x.dim(0).extent() - 1);
                 y(i) = x(i) * 2;
                 y(r) = max(y(r - 1), y(r));
             });
         },
         line},
        {"cumulative sum and sum of squares as a tuple",
         [] {
             return one_input(1, [](Func y, ImageParam x) {
                 const RDom r(x.dim(0).min() + 1, x.dim(0).extent() - 1);
                 Func s("s");
                 s(i) = Tuple(x(i), x(i) * x(i));
                 s(r) = Tuple(s(r - 1)[0] + x(r), s(r - 1)[1] + s(r - 1)[0] * x(r));
                 y(i) = s(i)[0] * s(i)[1];
             });
         },
         line},
    };
}

std::vector<Case> partial_scans() {
    return {
        {"two scans, one after the other",
         [] {
             return one_input(1, [](Func y, ImageParam x) {
                 const RDom r(x.dim(0).min() + 1, x.dim(0).extent() - 1);
                 y(i) = x(i);
                 y(r) = y(r) + y(r - 1) * y(r - 1);
                 const Expr back = x.dim(0).max() + x.dim(0).min() - r;
                 y(back) = y(back) * y(back + 1);
             });
         },
         line},
        {"a scan under a predicate",
         [] {
             return one_input(1, [](Func y, ImageParam x) {
                 RDom r(x.dim(0).min() + 1, x.dim(0).extent() - 1);
                 r.where(r % 3 != 0);
                 y(i) = x(i) * x(i);
                 y(r) = y(r) * y(r - 1);
             });
         },
         line},
        {"single points",
         [] {
             return one_input(1, [](Func y, ImageParam x) {
                 y(i) = x(i) * 2;
                 y(5) = y(5) * y(6) * x(3);
                 y(6) = sin(y(5));
             });
         },
         line},
    };
}

}  // namespace

TEST_CASE("reductions in any way of their earlier values") {
    check_cases(products());
    check_cases(extremes());
    check_cases(tuple_reductions());
    check_cases(sequences_of_updates());
}
TEST_CASE("scans") {
    check_cases(prefix_sums_and_products());
    check_cases(recurrences());
    check_cases(partial_scans());
}

namespace {

// dy/dx where x(k) is values[k], and all upstream gradients are 1.
std::vector<double> slopes_at(const Subject &subject, const std::vector<double> &values,
                              const Extent &outputs) {
    Check<double> check(subject, {{"x", {{0, static_cast<int>(values.size())}}}, {"y", {outputs}}});
    check.draw(1, 0, 1);
    for (size_t k = 0; k < values.size(); k++) {
        check.inputs.at("x")(static_cast<int>(k)) = values[k];
    }
    check.upstream.at("y").fill(1);
    const Buffer<double> g = check.gradients().at("x");
    std::vector<double> result;
    for (size_t k = 0; k < values.size(); k++) {
        result.push_back(g(static_cast<int>(k)));
    }
    return result;
}

std::vector<double> slopes_of(const std::function<Expr(Expr)> &f, const std::vector<double> &values) {
    return slopes_at(of_one(f), values, {0, static_cast<int>(values.size())});
}

using Slopes = std::vector<double>;

}  // namespace

TEST_CASE("ties go to the first, whole") {
    const Slopes values{1, 5, 5, -2, -2, 5};
    const auto reduced = [&](const std::function<void(Func, ImageParam, RDom)> &define) {
        return slopes_at(one_input(1, [&](Func y, ImageParam x) { define(y, x, over(x, 0)); }), values,
                         {0, 1});
    };
    CHECK(reduced([](Func y, ImageParam x, RDom r) { y(i) = maximum(x(r)); }) == Slopes{0, 1, 0, 0, 0, 0});
    CHECK(reduced([](Func y, ImageParam x, RDom r) { y(i) = minimum(x(r)); }) == Slopes{0, 0, 0, 1, 0, 0});
    CHECK(reduced([](Func y, ImageParam x, RDom r) {
              y(i) = x(1);  // a value of its own before the reduction: the same convention without the rule
              y(i) = max(y(i), x(r));
          }) == Slopes{0, 1, 0, 0, 0, 0});
    CHECK(reduced([](Func y, ImageParam x, RDom r) {
              y(i) = Expr(-1e9);
              y(i) = min(max(y(i), x(r)), 7);
          }) == Slopes{0, 1, 0, 0, 0, 0});
    CHECK(reduced([](Func y, ImageParam x, RDom r) { y(i) = argmax(x(r))[1] * 2; }) ==
          Slopes{0, 2, 0, 0, 0, 0});
    CHECK(reduced([](Func y, ImageParam x, RDom r) { y(i) = x(clamp(argmin(x(r))[0], 0, 5)) * 2; }) ==
          Slopes{0, 0, 0, 2, 0, 0});
    // max(a, b) and min(a, b) of equal values: a. Halide by itself gives both the gradient.
    CHECK(slopes_of([](Expr x) { return max(x * 2, x + 1); }, {0, 1, 3}) == Slopes{1, 2, 2});
    CHECK(slopes_of([](Expr x) { return min(x * 2, x + 1); }, {0, 1, 3}) == Slopes{2, 2, 1});
    CHECK(slopes_of([](Expr x) { return max(x * 2, x * 2); }, {0, 1, 3}) == Slopes{2, 2, 2});
    // Against a constant: the other. (relu, max(x, 0), is 0 at 0: test_rules.)
    CHECK(slopes_of([](Expr x) { return clamp(x * 2, -2, 2); }, {-2, -1, 0, 1, 2}) == Slopes{0, 2, 2, 2, 0});
}

TEST_CASE("edges of abs, sqrt and pow") {
    CHECK(slopes_of([](Expr x) { return abs(x) * 3; }, {-2, 0, 2}) == Slopes{-3, 0, 3});
    const Slopes roots = slopes_of([](Expr x) { return sqrt(x); }, {0, 4});
    CHECK(roots[0] == INFINITY);
    CHECK(roots[1] == 0.25);
    CHECK(slopes_of([](Expr x) { return pow(x, Expr(2.0)) * 2; }, {-3, 0, 1}) == Slopes{-12, 0, 4});
    CHECK(slopes_of([](Expr x) { return pow(x, Expr(1.0)); }, {-3, 0, 1}) == Slopes{1, 1, 1});
    CHECK(slopes_of([](Expr x) { return x + pow(x, Expr(0.0)); }, {0, 1}) == Slopes{1, 1});
    CHECK(slopes_of([](Expr x) { return pow(cast(f64, 0), x); }, {0, 1, 2}) ==
          Slopes{0, 0, 0});  // of the exponent, where the base is 0
}
