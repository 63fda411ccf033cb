// Every kind of operation that a pipeline may have, one small pipeline each: its gradient against central
// differences. Updates are in test_updates.cpp.

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

std::vector<Case> views() {
    return {
        {"transpose",
         [] { return one_input(2, [](Func y, ImageParam x) { y(j, i) = x(i, j) * x(i, j); }); },
         {{"x", {m, n}}, {"y", {n, m}}}},
        {"slice",
         [] { return one_input(2, [](Func y, ImageParam x) { y(j, i) = x(j + 3, i) * x(j + 3, i); }); },
         {{"x", {{4, 12}, m}}, {"y", {n, m}}}},
        {"every third from the end",
         [] { return one_input(1, [](Func y, ImageParam x) { y(i) = sin(x(40 - 3 * i)); }); },
         {{"x", {{10, 26}}}, {"y", {n}}}},
        {"reshape of an inner Func",
         [] {
             return one_input(2, [](Func y, ImageParam x) {
                 Func e("e");
                 e(j, i) = exp(x(j, i));
                 y(j, i) = e((j + 7 * i) % 5, (j + 7 * i) / 5) * cast(f64, j);
             });
         },
         {{"x", {{0, 5}, {0, 7}}}, {"y", {{0, 7}, {0, 5}}}}},
        {"concatenation",
         [] {
             const ImageParam x(f64, 2, "x"), u(f64, 2, "u");
             Func y("y");
             const Expr end = x.dim(0).max() + 1;
             y(j, i) =
                 select(j < end, x(min(j, end - 1), i) * 2, sin(u(max(j - end, 0) + u.dim(0).min(), i)));
             return by_hand({x, u}, {{"y", y}});
         },
         {{"x", {n, m}}, {"u", {{5, 4}, m}}, {"y", {{2, 13}, m}}}},
    };
}

std::vector<Case> gathers_and_scatters() {
    return {
        {"gather, with repetitions",
         [] {
             const ImageParam x(f64, 2, "x"), labels(Int(32), 1, "labels");
             Func e("e"), y("y");
             e(j, i) = x(j, i) * x(j, i);
             y(j, i) = e(j, clamp(labels(i), 0, 3));
             return by_hand({x, labels}, {{"y", y}});
         },
         {{"x", {n, {0, 4}}}, {"labels", {m}}, {"y", {n, m}}}},
        {"gather of elements",
         [] {
             const ImageParam x(f64, 1, "x"), labels(Int(32), 2, "labels");
             Func y("y");
             y(j, i) = x(clamp(labels(j, i), 0, 3)) * cast(f64, j + i);
             return by_hand({x, labels}, {{"y", y}});
         },
         {{"x", {{0, 4}}}, {"labels", {n, m}}, {"y", {n, m}}}},
        {"the same element everywhere, and of each row",
         [] {
             const ImageParam x(f64, 2, "x"), w(f64, 1, "w");
             Func y("y");
             y(j, i) = w(1) * sin(x(j, i)) + w(3) * x(x.dim(0).min(), i);
             return by_hand({x, w}, {{"y", y}});
         },
         {{"x", {n, m}}, {"w", {{0, 4}}}, {"y", {n, m}}}},
        {"scatter-add of rows, on top of a table",
         [] {
             const ImageParam x(f64, 2, "x"), u(f64, 2, "u"), labels(Int(32), 1, "labels");
             const RDom r = over(labels, 0);
             Func y("y");
             y(j, i) = u(j, i) * 3;
             y(j, clamp(labels(r), 0, 3)) += x(j, r) * x(j, r);
             return by_hand({x, u, labels}, {{"y", y}});
         },
         {{"x", {n, m}}, {"u", {n, {0, 4}}}, {"labels", {m}}, {"y", {n, {0, 4}}}}},
        {"rows of a table replaced",
         [] {
             const ImageParam x(f64, 2, "x"), u(f64, 2, "u");
             const RDom r = over(u, 1);
             Func t("t"), y("y");
             t(j, i) = x(j, i) * 2;
             t(j, r) = u(j, r) * u(j, r);
             y(j, i) = exp(t(j, i));
             return by_hand({x, u}, {{"y", y}});
         },
         {{"x", {n, m}}, {"u", {n, {-2, 3}}}, {"y", {n, m}}}},
    };
}

std::vector<Case> boundaries() {
    std::vector<Case> result;
    const std::vector<std::pair<std::string, std::function<Func(ImageParam)>>> kinds{
        {"clamped", [](ImageParam x) { return BoundaryConditions::repeat_edge(x); }},
        {"mirrored", [](ImageParam x) { return BoundaryConditions::mirror_image(x); }},
        {"mirrored inside", [](ImageParam x) { return BoundaryConditions::mirror_interior(x); }},
        {"periodic", [](ImageParam x) { return BoundaryConditions::repeat_image(x); }},
        {"constant", [](ImageParam x) { return BoundaryConditions::constant_exterior(x, one); }},
    };
    for (const auto &[name, edge] : kinds) {
        result.push_back({name + " edges",
                          [edge = edge] {
                              return one_input(2, [&](Func y, ImageParam x) {
                                  const Func e = edge(x);
                                  y(j, i) = e(j - 2, i) * e(j + 1, i) + e(j, i + 3);
                              });
                          },
                          square});
        result.push_back({name + " edges around an inner Func",
                          [edge = edge] {
                              return one_input(2, [&](Func y, ImageParam x) {
                                  const Func e = edge(x);
                                  Func s("s");
                                  s(j, i) = e(j - 1, i) * e(j, i);
                                  y(j, i) = s(j - 1, i) * s(j + 1, i + 1);
                              });
                          },
                          square});
    }
    return result;
}

std::vector<Case> conditions_and_casts() {
    return {
        {"select by an integer",
         [] {
             const ImageParam x(f64, 1, "x"), labels(Int(32), 1, "labels");
             Func y("y");
             y(i) = select(labels(i) % 2 == 0, x(i) * x(i), x(i) * 3);
             return by_hand({x, labels}, {{"y", y}});
         },
         {{"x", {n}}, {"labels", {n}}, {"y", {n}}}},
        {"select by a boolean Func of the input",
         [] {
             const ImageParam x(f64, 1, "x");
             Func is_small("is_small"), y("y");
             is_small(i) = abs(x(i)) < Expr(0.5);
             y(i) = select(is_small(i), x(i) * x(i), abs(x(i)) - Expr(0.25));
             return by_hand({x}, {{"y", y}});
         },
         line},
        {"an index computed from the input",
         [] {
             const ImageParam x(f64, 1, "x"), u(f64, 1, "u");
             Func bin("bin"), y("y");
             bin(i) = cast<int>(floor(x(i) * 4));
             y(i) = u(clamp(bin(i), -3, 3)) * x(i);
             return by_hand({x, u}, {{"y", y}});
         },
         {{"x", {n}}, {"u", {{-3, 7}}}, {"y", {n}}}},
        {"an integer output beside",
         [] {
             const ImageParam x(f64, 1, "x");
             Func y("y"), sign("sign");
             y(i) = x(i) * x(i);
             sign(i) = cast<int>(x(i) * 4);
             return by_hand({x}, {{"sign", sign}, {"y", y}});
         },
         {{"x", {n}}, {"y", {n}}, {"sign", {n}}}},
        {"float32 in between: sixteen bits of a double stay exact",
         [] {
             return one_input(1, [](Func y, ImageParam x) {
                 Func half("half");
                 half(i) = cast<double>(cast<float>(Expr(1.5))) * x(i);
                 y(i) = half(i) * half(i);
             });
         },
         line},
    };
}

std::vector<Case> functions_of_one_element() {
    std::vector<Case> result;
    const std::vector<std::pair<std::string, std::function<Expr(Expr)>>> functions{
        {"exp", [](Expr x) { return exp(x); }},
        {"log", [](Expr x) { return log(x + 2); }},
        {"sin", [](Expr x) { return sin(x); }},
        {"asin", [](Expr x) { return asin(x * Expr(0.9)); }},
        {"cos", [](Expr x) { return cos(x); }},
        {"acos", [](Expr x) { return acos(x * Expr(0.9)); }},
        {"tan", [](Expr x) { return tan(x); }},
        {"atan", [](Expr x) { return atan(x); }},
        {"atan2", [](Expr x) { return atan2(x + 2, x * x + 1); }},
        {"sinh", [](Expr x) { return sinh(x); }},
        {"asinh", [](Expr x) { return asinh(x); }},
        {"cosh", [](Expr x) { return cosh(x); }},
        {"acosh", [](Expr x) { return acosh(x + 3); }},
        {"tanh", [](Expr x) { return x * Halide::tanh(x); }},
        {"atanh", [](Expr x) { return atanh(x * Expr(0.9)); }},
        {"sqrt", [](Expr x) { return sqrt(x + 2); }},
        {"pow with a constant exponent", [](Expr x) { return pow(x, 3) + pow(x + 2, Expr(-1.5)); }},
        {"pow in both", [](Expr x) { return pow(x + 2, x * x); }},
        {"pow of a negative number", [](Expr x) { return pow(x - 3, Expr(2.0)) * x; }},
        {"lerp", [](Expr x) { return lerp(x * x, sin(x), x * Expr(0.5) + Expr(0.5)); }},
        {"abs", [](Expr x) { return abs(x) * x; }},
        {"max and min of two", [](Expr x) { return max(x * x, x + Expr(0.1)) * min(x, sin(x * 2)); }},
        {"clamp", [](Expr x) { return clamp(x * 2, Expr(-0.5), Expr(0.75)); }},
        {"likely", [](Expr x) { return select(likely(x > 0), x, x * 2) * likely(x); }},
        {"division", [](Expr x) { return x / (x * x + 1) + 1 / (x + 3); }},
        {"negation", [](Expr x) { return -x * x; }},
    };
    for (const auto &[name, f] : functions) {
        result.push_back({name, [f = f] { return of_one(f); }, line});
    }
    return result;
}

std::vector<Case> tuples() {
    return {
        {"a tuple-valued output",
         [] {
             return one_input(
                 1, [](Func y, ImageParam x) { y(i) = Tuple(x(i) * x(i), cast<int>(x(i) * 4), sin(x(i))); });
         },
         line},
        {"a tuple-valued output that another reads",
         [] {
             const ImageParam x(f64, 2, "x");
             const RDom r = over(x, 0);
             Func t("t"), y("y");
             t(i) = Tuple(zero, one);
             t(i) = Tuple(t(i)[0] + x(r, i), t(i)[1] * exp(x(r, i)));
             y(i) = t(i)[0] * t(i)[1];
             return by_hand({x}, {{"t", t}, {"y", y}});
         },
         {{"x", {n, m}}, {"t", {m}}, {"y", {m}}}},
        {"a tuple in between",
         [] {
             return one_input(1, [](Func y, ImageParam x) {
                 Func t("t");
                 t(i) = Tuple(x(i), x(i) * 2);
                 y(i) = t(i)[0] * t(i + 1)[1];
             });
         },
         {{"x", {{2, 10}}}, {"y", {n}}}},
    };
}

std::vector<Case> several_outputs() {
    return {
        {"three outputs with an upstream gradient each",
         [] {
             const ImageParam x(f64, 2, "x");
             const RDom r = over(x, 0);
             Func e("e"), y("y"), u("u"), v("v");
             e(j, i) = exp(x(j, i));
             y(j, i) = e(j, i) * e(j, i);
             u(i) = zero;
             u(i) += e(r, i);
             v(j, i) = y(j, i) / u(i);
             return by_hand({x}, {{"y", y}, {"u", u}, {"v", v}});
         },
         {{"x", {n, m}}, {"y", {n, m}}, {"u", {m}}, {"v", {n, m}}}},
        {"outputs of different regions of one Func",
         [] {
             const ImageParam x(f64, 1, "x");
             Func e("e"), y("y"), u("u");
             e(i) = exp(x(i));
             y(i) = max(e(i), Expr(0.0)) * Expr(0.5);
             u(i) = e(i + 5) * e(i + 5);
             return by_hand({x}, {{"y", y}, {"u", u}});
         },
         {{"x", {{2, 14}}}, {"y", {n}}, {"u", {n}}}},
    };
}

std::vector<Case> arguments() {
    return {
        {"scalar parameters, differentiated",
         [] {
             const ImageParam x(f64, 1, "x");
             const Param<double> a("a"), b("b");
             const Param<int> shift("shift");
             Func e("e"), y("y");
             e(i) = exp(a * x(i)) + b;
             y(i) = e(i) * a + cast(f64, shift);
             Subject subject = by_hand({x}, {{"y", y}});
             for (const Parameter &p : {a.parameter(), b.parameter(), shift.parameter()}) {
                 subject.problem.inputs.push_back(p);
             }
             subject.problem.wrt = {"x", "a", "b"};
             return subject;
         },
         line},
        {"a scalar inside of what a rule covers",
         [] {
             const ImageParam x(f64, 1, "x");
             const Param<double> beta("beta");
             Func y("y");
             y(i) = x(i) / (one + exp(-beta * x(i)));
             Subject subject = by_hand({x}, {{"y", y}});
             subject.problem.inputs.push_back(beta.parameter());
             subject.problem.wrt = {"beta", "x"};
             return subject;
         },
         line},
        {"one input through two Funcs, and without a Func",
         [] {
             const ImageParam x(f64, 1, "x");
             const Expr direct = Internal::Call::make(x.parameter(), {i});
             Func again("again"), y("y");
             again(i) = direct;
             y(i) = x(i) * again(i) * (direct + 1);
             return by_hand({x}, {{"y", y}});
         },
         line},
        {"dropout",
         [] {
             const ImageParam x(f64, 2, "x");
             const Param<uint32_t> seed("seed");
             Func y("y");
             y(j, i) = dropout(x(j, i) * x(j, i), 0.4f, random_bits(seed, j, i));
             Subject subject = by_hand({x}, {{"y", y}});
             subject.problem.inputs.push_back(seed.parameter());
             return subject;
         },
         square},
    };
}

std::vector<Case> predicates() {
    return {
        {"a predicate over a pure variable: causal sums",
         [] {
             return one_input(2, [](Func y, ImageParam x) {
                 RDom r = over(x, 0);
                 r.where(r <= j);
                 y(j, i) = zero;
                 y(j, i) += x(r, i) * x(r, i) * cast(f64, j);
             });
         },
         square},
        {"a predicate over pure variables: causal attention",
         [] {
             const ImageParam q(f64, 2, "q"), k(f64, 2, "k"), v(f64, 2, "v");
             const RDom r = over(q, 0);
             RDom t = over(k, 1);
             t.where(t <= i);
             Func score("score"), top("top"), s("s"), y("y");
             score(j, i) = zero;
             score(j, i) += q(r, i) * k(r, j);
             top(i) = f64.min();
             top(i) = max(top(i), score(t, i));
             s(i) = zero;
             s(i) += exp(score(t, i) - top(i));
             y(j, i) = zero;
             y(j, i) += exp(score(t, i) - top(i)) / s(i) * v(j, t);
             return by_hand({q, k, v}, {{"y", y}});
         },
         {{"q", {{0, 3}, {2, 5}}},
          {"k", {{0, 3}, {2, 5}}},
          {"v", {{-1, 2}, {2, 5}}},
          {"y", {{-1, 2}, {2, 5}}}}},
        {"a product under a predicate over a pure variable",
         [] {
             return one_input(2, [](Func y, ImageParam x) {
                 RDom r = over(x, 0);
                 r.where(r < i + 6);
                 y(i) = x(2, i);
                 y(i) *= x(r, i) + 2;
             });
         },
         rows},
    };
}

}  // namespace

TEST_CASE("views, gathers and scatters") {
    check_cases(views());
    check_cases(gathers_and_scatters());
}
TEST_CASE("boundary conditions") {
    check_cases(boundaries());
}
TEST_CASE("elements") {
    check_cases(conditions_and_casts());
    check_cases(functions_of_one_element());
}
TEST_CASE("arguments, tuples and predicates") {
    check_cases(tuples());
    check_cases(several_outputs());
    check_cases(arguments());
    check_cases(predicates());
}
