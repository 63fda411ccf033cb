// Each derivative rule: its gradient in every way of writing that it matches, its kink, and a flipped sign
// that the check must see.

#include "gradient_check.h"

#include "generators/ops.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>

using namespace eutectic;
using namespace eutectic::test;
using namespace Halide;

namespace {

const Type f64 = Float(64);
const Var i("i"), j("j");
const Shapes square{{"x", {{3, 11}, {-2, 4}}}, {"y", {{3, 11}, {-2, 4}}}};

// y(j, i) = f(3 x(j, i)), where 3 x is an update and so never cheap to recompute.
Subject pointwise(const std::function<Expr(Expr)> &f) {
    const ImageParam x(f64, 2, "x");
    Func z("z"), y("y");
    z(j, i) = cast(f64, 0);
    z(j, i) += x(j, i) * 3;
    y(j, i) = f(z(j, i));
    return by_hand({x}, {{"y", y}});
}

std::vector<std::string> kinds(const Differentiated &d) {
    std::vector<std::string> result;
    for (const ResidualTensor &r : d.residuals) {
        result.push_back(r.info.name + ":" + r.info.kind);
    }
    return result;
}

std::string backward_text(const Differentiated &d) {
    std::string text;
    for (const NamedOutput &g : d.gradients) {
        text += definitions(g.func);
    }
    return text;
}

bool contains(const std::string &text, const std::string &part) {
    return text.find(part) != std::string::npos;
}

// The gradient of a one-input subject at a given input, upstream gradient 1.
Buffer<double> gradient_at(const Subject &subject, const Shapes &shapes,
                           const std::function<double(int, int)> &value) {
    Check<double> check(subject, shapes);
    check.draw(1, 0, 1);
    check.inputs.at("x").for_each_element(
        [&](const int *at) { check.inputs.at("x")(at) = value(at[0], at[1]); });
    for (auto &[name, u] : check.upstream) {
        u.fill(1);
    }
    return check.gradients().at("x");
}

Subject max_of_rows(const std::function<void(Func, ImageParam)> &define) {
    const ImageParam x(f64, 2, "x");
    Func m("m");
    define(m, x);
    return by_hand({x}, {{"m", m}});
}

void explicit_max(Func m, ImageParam x) {
    RDom r(x.dim(0).min(), x.dim(0).extent());
    m(i) = f64.min();
    m(i) = max(x(r, i), m(i));
}

// Softmax cross entropy with its three terms in the order `order`.
Subject cross_entropy(const std::vector<int> &order) {
    const ImageParam x(f64, 2, "x"), labels(Int(32), 1, "labels");
    RDom r(x.dim(0).min(), x.dim(0).extent());
    Func m("m"), s("s"), y("y");
    m(i) = f64.min();
    m(i) = max(m(i), x(r, i));
    s(i) = cast(f64, 0);
    s(i) += exp(x(r, i) - m(i));
    const Expr label = clamp(labels(i), x.dim(0).min(), x.dim(0).max());
    const Expr terms[] = {log(s(i)), m(i), x(label, i)};
    Expr sum = cast(f64, 0);
    bool first = true;
    for (const int t : order) {
        if (t == 2) {
            sum = first ? -terms[t] : sum - terms[t];
        } else {
            sum = first ? terms[t] : sum + terms[t];
        }
        first = false;
    }
    y(i) = sum;
    return by_hand({x, labels}, {{"y", y}});
}

const Shapes rows{{"x", {{2, 7}, {-3, 5}}}, {"y", {{-3, 5}}}, {"m", {{-3, 5}}}, {"labels", {{-3, 5}}}};

}  // namespace

TEST_CASE("relu: every way of writing it keeps one bit an element") {
    const Expr zero = cast(f64, 0);
    const std::vector<std::pair<std::string, std::function<Expr(Expr)>>> forms{
        {"max(z, 0)", [&](Expr z) { return max(z, zero); }},
        {"max(0, z)", [&](Expr z) { return max(zero, z); }},
        {"select(z > 0, z, 0)", [&](Expr z) { return select(z > zero, z, zero); }},
        {"select(z >= 0, z, 0)", [&](Expr z) { return select(z >= zero, z, zero); }},
        {"select(0 < z, z, 0)", [&](Expr z) { return select(zero < z, z, zero); }},
        {"select(z <= 0, 0, z)", [&](Expr z) { return select(z <= zero, zero, z); }},
        // The derivative of z * z reads z, which is kept for it: the sign comes from there or from a bit,
        // whichever is faster.
        {"max(z + z * z, 0)", [&](Expr z) { return max(z + z * z, zero); }},
    };
    for (const auto &[text, form] : forms) {
        CAPTURE(text);
        CHECK(gradient_error(pointwise(form), square, 5) <= gradient_tolerance);
        Subject subject = pointwise(form);
        subject.problem.residuals.policy = ResidualPolicy::save_all;
        Check<double> check(subject, square);
        const auto kept = kinds(check.differentiated());
        const auto masks = std::count(kept.begin(), kept.end(), "residual_mask:mask");
        CHECK((text == "max(z + z * z, 0)" ? masks <= 1 : masks == 1));
    }
}

TEST_CASE("relu: the mask holds y > 0 bit by bit, and nothing beyond the edge") {
    Subject subject = pointwise([](Expr z) { return relu(z); });
    subject.problem.residuals.policy = ResidualPolicy::save_all;
    Check<double> check(subject, square);
    check.draw(2, 0, 1);
    check.run_forward();
    const Buffer<uint8_t> mask = check.residual("residual_mask");
    const Buffer<double> y = check.outputs.at("y");
    CHECK(mask.dim(0).min() == 0);
    CHECK(mask.dim(0).extent() == 2);
    CHECK(mask.dim(1).min() == -2);
    for (int row = y.dim(1).min(); row <= y.dim(1).max(); row++) {
        for (int bit = 0; bit < 16; bit++) {
            const int at = 3 + bit;
            const bool expected = at <= y.dim(0).max() && y(at, row) > 0;
            CHECK(((mask(bit / 8, row) >> (bit % 8)) & 1) == expected);
        }
    }
}

TEST_CASE("relu: the gradient at 0 is 0") {
    const Buffer<double> g = gradient_at(pointwise([](Expr z) { return relu(z); }), square,
                                         [](int column, int) { return column == 5 ? 0.0 : column - 5.0; });
    CHECK(g(4, 0) == 0);
    CHECK(g(5, 0) == 0);
    CHECK(g(6, 0) == 3);
}

TEST_CASE("relu: no mask when its result is at hand") {
    const ImageParam x(f64, 2, "x");
    Func h("h"), y("y");
    h(j, i) = relu(x(j, i));
    y(j, i) = h(j, i) * h(j, i);
    Check<double> check(by_hand({x}, {{"y", y}}), square);
    // h is max(x, 0) of an input, so that nothing at all is kept.
    CHECK(kinds(check.differentiated()).empty());
}

TEST_CASE("tanh: from its output, whichever way it is written") {
    const std::vector<std::pair<std::string, std::function<Expr(Expr)>>> forms{
        {"through exp", [](Expr z) { return tanh_through_exp(z); }},
        {"Halide's", [](Expr z) { return Halide::tanh(z); }},
        {"without a clamp, scaled",
         [](Expr z) { return cast(f64, 1) - cast(f64, 2) / (cast(f64, 1) + exp(z * Expr(0.5))); }},
    };
    for (const auto &[text, form] : forms) {
        CAPTURE(text);
        CHECK(gradient_error(pointwise(form), square, 6) <= gradient_tolerance);
        Check<double> check(pointwise(form), square);
        CHECK(kinds(check.differentiated()).empty());
        REQUIRE(check.differentiated().outputs.size() == 1);
        CHECK(check.differentiated().outputs[0].name() == "y");
        CHECK_FALSE(contains(backward_text(check.differentiated()), "tanh"));
        CHECK_FALSE(contains(backward_text(check.differentiated()), "exp_f64"));
    }
}

TEST_CASE("tanh inside an expression is differentiated through exp") {
    const auto form = [](Expr z) { return z + z * z * Halide::tanh(z); };
    CHECK(gradient_error(pointwise(form), square, 6) <= gradient_tolerance);
    CHECK_FALSE(contains(backward_text(Check<double>(pointwise(form), square).differentiated()), "tanh"));
}

TEST_CASE("sigmoid: from its output") {
    const auto form = [](Expr z) { return cast(f64, 1) / (exp(-z) + cast(f64, 1)); };
    CHECK(gradient_error(pointwise(form), square, 6) <= gradient_tolerance);
    Check<double> check(pointwise(form), square);
    CHECK(kinds(check.differentiated()).empty());
    CHECK_FALSE(contains(backward_text(check.differentiated()), "exp_f64"));
    // The quotient rule would give inf / inf here.
    CHECK(gradient_at(pointwise(form), square, [](int, int) { return -200.0; })(3, 0) == doctest::Approx(0));
}

TEST_CASE("gelu: from the saved argument, whichever way it is written") {
    const auto cubic = [](Expr z) { return Expr(0.7978845608028654) * (z + Expr(0.044715) * z * z * z); };
    const std::vector<std::pair<std::string, std::function<Expr(Expr)>>> forms{
        {"through exp", [](Expr z) { return gelu(z); }},
        {"with tanh", [&](Expr z) { return Expr(0.5) * z * (cast(f64, 1) + Halide::tanh(cubic(z))); }},
        {"with tanh, other order",
         [&](Expr z) { return (Halide::tanh(cubic(z)) + cast(f64, 1)) * (z * Expr(0.5)); }},
        {"swish", [](Expr z) { return z / (cast(f64, 1) + exp(-z)); }},
        {"swish as a product", [](Expr z) { return (cast(f64, 1) / (exp(-z) + cast(f64, 1))) * z; }},
    };
    for (const auto &[text, form] : forms) {
        CAPTURE(text);
        CHECK(gradient_error(pointwise(form), square, 7) <= gradient_tolerance);
        CHECK_FALSE(contains(backward_text(Check<double>(pointwise(form), square).differentiated()), "tanh"));
    }
}

TEST_CASE("activations and their gradients are finite at large arguments") {
    const auto scaled = [](Expr (*f)(const Expr &)) { return pointwise([f](Expr z) { return f(z); }); };
    for (const double magnitude : {1.0, 30.0, 1e3, 1e30, 1e300}) {
        CAPTURE(magnitude);
        for (const double sign : {-1.0, 1.0}) {
            const auto at = [&](int, int) { return sign * magnitude / 3; };
            const double g = gradient_at(scaled(gelu), square, at)(3, 0);
            const double t = gradient_at(scaled(tanh_through_exp), square, at)(3, 0);
            CHECK(std::isfinite(g));
            CHECK(std::isfinite(t));
            if (magnitude > 20) {
                CHECK(g == doctest::Approx(sign > 0 ? 3 : 0));
                CHECK(t == doctest::Approx(0));
            }
        }
    }
}

TEST_CASE("max reduction: explicit, maximum(), over an expression, over two dimensions") {
    const std::vector<std::pair<std::string, std::function<void(Func, ImageParam)>>> forms{
        {"explicit", explicit_max},
        {"maximum()",
         [](Func m, ImageParam x) {
             RDom r(x.dim(0).min(), x.dim(0).extent());
             m(i) = maximum(x(r, i)) * 2;
         }},
        {"of an expression",
         [](Func m, ImageParam x) {
             RDom r(x.dim(0).min(), x.dim(0).extent());
             m(i) = f64.min();
             m(i) = max(m(i), exp(x(r, i)) * x(r, i));
         }},
        {"over all",
         [](Func m, ImageParam x) {
             RDom r({{x.dim(0).min(), x.dim(0).extent()}, {x.dim(1).min(), x.dim(1).extent()}});
             Func all("all");
             all() = f64.min();
             all() = max(all(), x(r.x, r.y));
             m(i) = all() * cast(f64, i);
         }},
    };
    for (const auto &[text, form] : forms) {
        CAPTURE(text);
        CHECK(gradient_error(max_of_rows(form), rows, 8) <= gradient_tolerance);
        Check<double> check(max_of_rows(form), rows);
        const auto kept = kinds(check.differentiated());
        CHECK(std::count(kept.begin(), kept.end(), "residual_argmax:argmax") == 1);
    }
}

TEST_CASE("max reduction: the gradient of a tie goes to the first") {
    const Buffer<double> g = gradient_at(max_of_rows(explicit_max), rows, [](int column, int) {
        return column == 4 || column == 6 ? 5.0 : 1.0;
    });
    for (int column = 2; column < 9; column++) {
        CHECK(g(column, 0) == (column == 4 ? 1 : 0));
    }
}

TEST_CASE("softmax cross entropy: terms in any order keep one number a row") {
    std::vector<int> order{0, 1, 2};
    do {
        CAPTURE(order[0]);
        CAPTURE(order[1]);
        CHECK(gradient_error(cross_entropy(order), rows, 9, 2, 7) <= gradient_tolerance);
        Check<double> check(cross_entropy(order), rows);
        CHECK(kinds(check.differentiated()) == std::vector<std::string>{"residual_lse:lse"});
    } while (std::next_permutation(order.begin(), order.end()));
}

TEST_CASE("softmax cross entropy and softmax: without their rules the gradient is the same") {
    const RuleList no_xent = without_rule(default_rules(), "softmax_xent"),
                   no_softmax = without_rule(default_rules(), "softmax");
    CHECK(gradient_error(cross_entropy({0, 1, 2}), rows, 9, 2, 7, &no_xent) <= gradient_tolerance);
    const Shapes shapes{{"x", {{2, 7}, {-3, 5}}}, {"y", {{2, 7}, {-3, 5}}}};
    const auto softmax = [] { return from_generator("softmax", {{"type", "float64"}}); };
    CHECK(gradient_error(softmax(), shapes, 9, 0, 1, &no_softmax) <= gradient_tolerance);

    Check<double> with(softmax(), shapes), without(softmax(), shapes, &no_softmax);
    with.draw(4, 0, 1);
    without.draw(4, 0, 1);
    const Buffer<double> a = with.gradients().at("x"), b = without.gradients().at("x");
    a.for_each_element([&](const int *at) { CHECK(a(at) == doctest::Approx(b(at)).epsilon(1e-12)); });
    CHECK(with.differentiated().residuals.empty());
    CHECK_FALSE(without.differentiated().residuals.empty());
}

TEST_CASE("log_softmax: from its output, in any order of terms, along any dimension") {
    const Shapes shapes{{"x", {{2, 7}, {-3, 5}}}, {"y", {{2, 7}, {-3, 5}}}};
    for (const bool along_rows : {false, true}) {
        for (const bool other_order : {false, true}) {
            const auto subject = [&] {
                const ImageParam x(f64, 2, "x");
                const int d = along_rows ? 0 : 1;
                const RDom r(x.dim(d).min(), x.dim(d).extent());
                const auto at = [&](const Expr &row, const Expr &column) {
                    return along_rows ? x(column, row) : x(row, column);
                };
                Func m("m"), s("s"), y("y");
                const Var &row = along_rows ? i : j, &column = along_rows ? j : i;
                m(row) = f64.min();
                m(row) = max(m(row), at(row, r));
                s(row) = cast(f64, 0);
                s(row) += exp(at(row, r) - m(row));
                y(j, i) = other_order ? at(row, column) - (log(s(row)) + m(row))
                                      : at(row, column) - m(row) - log(s(row));
                return by_hand({x}, {{"y", y}});
            };
            CHECK(gradient_error(subject(), shapes, 12) <= gradient_tolerance);
            const Differentiated d = Check<double>(subject(), shapes).differentiated();
            CHECK(kinds(d).empty());
            REQUIRE(d.outputs.size() == 1);
            CHECK(d.outputs[0].name() == "y");
        }
    }
    const RuleList without = without_rule(default_rules(), "log_softmax");
    CHECK(gradient_error(from_generator("log_softmax", {{"type", "float64"}}), shapes, 12, 0, 1, &without) <=
          gradient_tolerance);
}

TEST_CASE("softmax in the middle of a pipeline") {
    const ImageParam q(f64, 2, "q"), v(f64, 2, "v");
    RDom r(v.dim(1).min(), v.dim(1).extent());
    Func z("z"), m("m"), s("s"), p("p"), y("y");
    z(j, i) = q(j, i) * 2;
    m(i) = f64.min();
    m(i) = max(m(i), z(r, i));
    s(i) = cast(f64, 0);
    s(i) += exp(z(r, i) - m(i));
    p(j, i) = exp(z(j, i) - m(i)) / s(i);
    y(j, i) = cast(f64, 0);
    y(j, i) += p(r, i) * v(j, r);
    const Subject subject = by_hand({q, v}, {{"y", y}});
    const Shapes shapes{{"q", {{1, 5}, {2, 3}}}, {"v", {{0, 4}, {1, 5}}}, {"y", {{0, 4}, {2, 3}}}};
    CHECK(gradient_error(subject, shapes, 10) <= gradient_tolerance);
}

TEST_CASE("a flipped sign in any rule is seen by the check") {
    struct Flip {
        std::string rule;
        std::function<Subject()> subject;
        Shapes shapes;
    };
    const std::vector<Flip> flips{
        {"relu", [] { return pointwise([](Expr z) { return relu(z); }); }, square},
        {"tanh", [] { return pointwise([](Expr z) { return tanh_through_exp(z); }); }, square},
        {"gelu", [] { return pointwise([](Expr z) { return gelu(z); }); }, square},
        {"sigmoid", [] { return pointwise([](Expr z) { return cast(f64, 1) / (cast(f64, 1) + exp(-z)); }); },
         square},
        {"max_reduction", [] { return max_of_rows(explicit_max); }, rows},
        {"softmax_xent", [] { return cross_entropy({0, 1, 2}); }, rows},
        {"softmax",
         [] { return from_generator("softmax", {{"type", "float64"}}); },
         {{"x", {{2, 7}, {-3, 5}}}, {"y", {{2, 7}, {-3, 5}}}}},
        {"log_softmax",
         [] { return from_generator("log_softmax", {{"type", "float64"}}); },
         {{"x", {{2, 7}, {-3, 5}}}, {"y", {{2, 7}, {-3, 5}}}}},
    };
    REQUIRE(flips.size() == default_rules().size());
    for (const Flip &flip : flips) {
        CAPTURE(flip.rule);
        const RuleList flipped = with_flipped_sign(default_rules(), flip.rule);
        CHECK(gradient_error(flip.subject(), flip.shapes, 11, 2, 7) <= gradient_tolerance);
        CHECK(gradient_error(flip.subject(), flip.shapes, 11, 2, 7, &flipped) > 1e-2);
    }
}
