// Larger pipelines, where rules, saved tensors and the generic path meet.

#include "gradient_check.h"

#include "generators/ops.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace eutectic;
using namespace eutectic::test;
using namespace Halide;

namespace {

const Type f64 = Float(64);
const Var i("i"), j("j"), c("c");
const Expr zero = cast(f64, 0);

RDom over(const ImageParam &p, int dimension) {
    return RDom(p.dim(dimension).min(), p.dim(dimension).extent());
}

// a(k, i) b(j, k) summed over k in `k`.
template<typename A, typename B>
Func product(const std::string &name, const A &a, const B &b, const RDom &k) {
    Func f(name);
    f(j, i) = zero;
    f(j, i) += a(k, i) * b(j, k);
    return f;
}

std::vector<std::string> kept(const Differentiated &d) {
    std::vector<std::string> names;
    for (const ResidualTensor &r : d.residuals) {
        names.push_back(r.info.name);
    }
    return names;
}

}  // namespace

TEST_CASE("layer normalization with scale and shift") {
    const auto subject = [] {
        const ImageParam x(f64, 2, "x"), gain(f64, 1, "gain"), shift(f64, 1, "shift");
        const RDom r = over(x, 0);
        const Expr count = cast(f64, x.dim(0).extent());
        Func sum("sum"), centered("centered"), squares("squares"), y("y");
        sum(i) = zero;
        sum(i) += x(r, i);
        centered(j, i) = x(j, i) - sum(i) / count;
        squares(i) = zero;
        squares(i) += centered(r, i) * centered(r, i);
        y(j, i) = centered(j, i) / sqrt(squares(i) / count + Expr(1e-5)) * gain(j) + shift(j);
        return by_hand({x, gain, shift}, {{"y", y}});
    };
    const Shapes shapes{
        {"x", {{2, 7}, {-1, 3}}}, {"gain", {{2, 7}}}, {"shift", {{2, 7}}}, {"y", {{2, 7}, {-1, 3}}}};
    CHECK(gradient_error(subject(), shapes, 31) <= gradient_tolerance);
    // Five definitions of the backward read centered: keeping it is one pass, writing it out in each is more
    // work.
    CHECK(kept(Check<double>(subject(), shapes).differentiated()) ==
          std::vector<std::string>{"residual_centered", "residual_squares"});
}

TEST_CASE("attention: two products around a softmax") {
    const auto subject = [] {
        const ImageParam q(f64, 2, "q"), k(f64, 2, "k"), v(f64, 2, "v");
        const RDom r = over(q, 0), t = over(v, 1);
        Func score("score"), m("m"), e("e"), s("s"), p("p"), y("y");
        score(j, i) = zero;
        score(j, i) += q(r, i) * k(r, j);
        m(i) = f64.min();
        m(i) = max(m(i), score(t, i));
        e(j, i) = exp(score(j, i) - m(i));
        s(i) = zero;
        s(i) += e(t, i);
        p(j, i) = e(j, i) / s(i);
        y(j, i) = zero;
        y(j, i) += p(t, i) * v(j, t);
        return by_hand({q, k, v}, {{"y", y}});
    };
    const Shapes shapes{
        {"q", {{0, 3}, {2, 4}}}, {"k", {{0, 3}, {1, 5}}}, {"v", {{-1, 2}, {1, 5}}}, {"y", {{-1, 2}, {2, 4}}}};
    CHECK(gradient_error(subject(), shapes, 32) <= gradient_tolerance);
    CHECK(kept(Check<double>(subject(), shapes).differentiated()) ==
          std::vector<std::string>{"residual_p"});  // by the softmax rule
}

TEST_CASE("a relu that feeds two products, one of them around a shortcut") {
    const auto subject = [] {
        const ImageParam x(f64, 2, "x"), w(f64, 2, "w"), u(f64, 2, "u");
        const RDom k = over(x, 0), l = over(w, 0);
        Func z = product("z", x, w, k), h("h"), g("g"), y("y");
        h(j, i) = relu(z(j, i));
        const Func a = product("a", h, u, l);
        g(j, i) = relu(a(j, i) + h(j, i) * 2);
        y(j, i) = h(j, i) + g(j, i);
        return by_hand({x, w, u}, {{"y", y}});
    };
    const Extent batch{3, 4}, wide{-2, 5};
    const Shapes shapes{
        {"x", {{1, 6}, batch}}, {"w", {wide, {1, 6}}}, {"u", {wide, wide}}, {"y", {wide, batch}}};
    CHECK(gradient_error(subject(), shapes, 33) <= gradient_tolerance);
    // h is saved for the product and gives its own sign; only the second relu needs one more tensor, a mask
    // where everything is saved.
    Subject whole = subject();
    whole.problem.residuals.policy = ResidualPolicy::save_all;
    CHECK(kept(Check<double>(subject(), shapes).differentiated()).size() == 2);
    CHECK(kept(Check<double>(whole, shapes).differentiated()).back().rfind("residual_mask", 0) == 0);
}

TEST_CASE("two masks have two names") {
    const auto subject = [] {
        const ImageParam x(f64, 2, "x"), b(f64, 1, "b");
        Func z("z"), h("h"), s("s"), y("y");
        const RDom r = over(x, 0);
        z(j, i) = zero;
        z(j, i) += x(j, i) * 2;
        h(j, i) = relu(z(j, i));
        s(i) = b(i);
        s(i) += h(r, i);
        y(i) = relu(s(i));
        return by_hand({x, b}, {{"y", y}});
    };
    const Shapes shapes{{"x", {{1, 11}, {2, 9}}}, {"b", {{2, 9}}}, {"y", {{2, 9}}}};
    CHECK(gradient_error(subject(), shapes, 34) <= gradient_tolerance);
    Subject whole = subject();
    whole.problem.residuals.policy = ResidualPolicy::save_all;
    CHECK(kept(Check<double>(whole, shapes).differentiated()) ==
          std::vector<std::string>{"residual_mask", "residual_mask_2"});
}

TEST_CASE("division by a row's largest element: the place of the maximum is saved, where it is found again") {
    const auto subject = [] {
        const ImageParam x(f64, 2, "x");
        const RDom r = over(x, 0);
        Func m("m"), y("y");
        m(i) = f64.min();
        m(i) = max(m(i), abs(x(r, i)));
        y(j, i) = x(j, i) / m(i);
        return by_hand({x}, {{"y", y}});
    };
    const Shapes shapes{{"x", {{1, 6}, {2, 4}}}, {"y", {{1, 6}, {2, 4}}}};
    CHECK(gradient_error(subject(), shapes, 35) <= gradient_tolerance);
    CHECK(kept(Check<double>(subject(), shapes).differentiated()) ==
          std::vector<std::string>{"residual_m", "residual_argmax"});
}

TEST_CASE("a batch of products, and an input that is a single number") {
    const auto subject = [] {
        const ImageParam x(f64, 3, "x"), w(f64, 3, "w"), scale(f64, 0, "scale");
        const RDom k = over(x, 0);
        Func a("a"), y("y");
        a(j, i, c) = zero;
        a(j, i, c) += x(k, i, c) * w(j, k, c);
        y(j, i, c) = tanh_through_exp(a(j, i, c) * scale());
        return by_hand({x, w, scale}, {{"y", y}});
    };
    const Shapes shapes{{"x", {{1, 3}, {2, 4}, {0, 2}}},
                        {"w", {{-1, 5}, {1, 3}, {0, 2}}},
                        {"scale", {}},
                        {"y", {{-1, 5}, {2, 4}, {0, 2}}}};
    CHECK(gradient_error(subject(), shapes, 36) <= gradient_tolerance);
}

TEST_CASE("an intermediate output is passed again, and gets an upstream gradient") {
    const auto subject = [] {
        const ImageParam x(f64, 2, "x"), w(f64, 2, "w"), u(f64, 2, "u");
        Func z = product("z", x, w, over(x, 0)), h("h"), y("y");
        h(j, i) = gelu(z(j, i));
        y = product("y", h, u, over(w, 0));
        return by_hand({x, w, u}, {{"h", h}, {"y", y}});
    };
    const Extent batch{3, 4}, wide{-2, 5};
    const Shapes shapes{{"x", {{1, 6}, batch}},
                        {"w", {wide, {1, 6}}},
                        {"u", {{0, 3}, wide}},
                        {"h", {wide, batch}},
                        {"y", {{0, 3}, batch}}};
    CHECK(gradient_error(subject(), shapes, 37) <= gradient_tolerance);
    Check<double> check(subject(), shapes);
    CHECK(kept(check.differentiated()) == std::vector<std::string>{"residual_z"});
    REQUIRE(check.differentiated().outputs.size() == 1);
    CHECK(check.differentiated().outputs[0].name() == "h");
}

TEST_CASE("what does not depend on an input asked for is kept like anything else") {
    const auto subject = [] {
        const ImageParam x(f64, 1, "x"), at(Int(32), 1, "at");
        Func weight("weight"), y("y");
        weight(i) = exp(cast(f64, at(i)) / 4);
        y(i) = x(i) * weight(i) * cast(f64, at(i) + i);
        return by_hand({x, at}, {{"y", y}});
    };
    const Shapes shapes{{"x", {{2, 9}}}, {"at", {{2, 9}}}, {"y", {{2, 9}}}};
    CHECK(gradient_error(subject(), shapes, 38, 0, 5) <= gradient_tolerance);
    CHECK(kept(Check<double>(subject(), shapes).differentiated()) ==
          std::vector<std::string>{"residual_weight"});
}
