// What Halide's calculus drops or gets wrong: each construct has its right gradient here, or is refused in a
// sentence; none has another.

#include "operation_case.h"

#include "base/user_error.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace eutectic;
using namespace eutectic::test;
using namespace Halide;

namespace {

const Var i("i");
const Type f32 = Float(32);

struct Construct {
    std::string name;
    std::function<Expr(Expr)> f;  // of a float32 in (0.2, 0.9)
    std::function<double(double)>
        slope;  // nothing: refused, since it is 0 or not defined almost everywhere, or nobody knows it
};

const std::function<double(double)> refused;

// The slope of y(i) = f(x(i)) at points between 0.2 and 0.9 against what it should be, relative to 1 or to
// the slope; -1: refused.
double slope_error(const Construct &construct) {
    const ImageParam x(f32, 1, "x");
    Func y("y");
    y(i) = construct.f(x(i));
    constexpr int count = 15;
    const Shapes shapes{{"x", {{0, count}}}, {"y", {{0, count}}}};
    try {
        Check<float> check(by_hand({x}, {{"y", y}}), shapes);
        check.draw(1, 0, 1);
        for (int k = 0; k < count; k++) {
            check.inputs.at("x")(k) = 0.213f + 0.0457f * static_cast<float>(k);
            check.upstream.at("y")(k) = 1;
        }
        const Buffer<float> g = check.gradients().at("x");
        double worst = 0;
        for (int k = 0; k < count && construct.slope; k++) {
            const double wanted = construct.slope(check.inputs.at("x")(k)),
                         difference = std::abs(static_cast<double>(g(k)) - wanted);
            worst = difference <= worst ? worst : difference / std::max(1.0, std::abs(wanted));
        }
        return worst;
    } catch (const UserError &e) {
        const std::string sentence = e.what();
        const bool is_zero = sentence.find("Input \"x\" has no gradient") == 0;
        CHECK((is_zero || sentence.find("Func \"y\" ") == 0));
        CHECK(sentence.back() == '.');
        return -1;
    }
}

Expr strictly(const Expr &e) {
    return strict_float(e);
}

std::vector<Construct> constructs() {
    return {
        {"floor", [](Expr x) { return floor(x); }, refused},
        {"ceil", [](Expr x) { return ceil(x); }, refused},
        {"round", [](Expr x) { return round(x * 3); }, refused},
        {"trunc", [](Expr x) { return trunc(x * 3); }, refused},
        {"fract", [](Expr x) { return x * 3 - floor(x * 3); }, [](double) { return 3; }},
        {"remainder", [](Expr x) { return x % 0.3f; }, [](double) { return 1; }},
        {"strict sum", [](Expr x) { return strictly(x + 1.5f); }, [](double) { return 1; }},
        {"strict product", [](Expr x) { return strictly(x * x) + x; }, [](double x) { return 2 * x + 1; }},
        {"strict comparison", [](Expr x) { return select(strictly(x > 0.5f), x * x, x); },
         [](double x) { return x > 0.5 ? 2 * x : 1; }},
        {"to an integer and back", [](Expr x) { return cast<float>(cast<int>(x * 8)); }, refused},
        {"to unsigned bytes and back", [](Expr x) { return cast<float>(cast<uint8_t>(x * 8)) * x; },
         [](double x) { return std::floor(x * 8); }},
        {"saturating cast", [](Expr x) { return cast<float>(saturating_cast<uint8_t>(x * 8)); }, refused},
        {"to a condition and back", [](Expr x) { return cast<float>(x > 0.5f); }, refused},
        {"a condition times a value", [](Expr x) { return cast<float>(x > 0.5f) * x; },
         [](double x) { return x > 0.5 ? 1 : 0; }},
        {"through double", [](Expr x) { return cast<float>(cast<double>(x) * cast<double>(x)); },
         [](double x) { return 2 * x; }},
        {"through float16", [](Expr x) { return cast<float>(cast(Float(16), x)) * x; },
         [](double x) { return 2 * x; }},
        {"through bfloat16", [](Expr x) { return cast<float>(cast(BFloat(16), x)) * 2; },
         [](double) { return 2; }},
        {"bits", [](Expr x) { return reinterpret<float>(reinterpret<uint32_t>(x) | 1u); }, refused},
        {"erf", [](Expr x) { return erf(x); },
         [](double x) { return 2 / std::sqrt(M_PI) * std::exp(-x * x); }},
        {"hypot", [](Expr x) { return hypot(x, Expr(2.0f)); },
         [](double x) { return x / std::sqrt(x * x + 4); }},
        {"fast_exp", [](Expr x) { return fast_exp(x); }, [](double x) { return std::exp(x); }},
        {"fast_log", [](Expr x) { return fast_log(x); }, [](double x) { return 1 / x; }},
        {"fast_pow", [](Expr x) { return fast_pow(x, 3.0f); }, [](double x) { return 3 * x * x; }},
        {"fast_sin", [](Expr x) { return fast_sin(x); }, [](double x) { return std::cos(x); }},
        {"fast_inverse", [](Expr x) { return fast_inverse(x); }, [](double x) { return -1 / (x * x); }},
        {"fast_inverse_sqrt", [](Expr x) { return fast_inverse_sqrt(x); },
         [](double x) { return -0.5 * std::pow(x, -1.5); }},
        {"absolute difference", [](Expr x) { return absd(x, Expr(0.5f)); },
         [](double x) { return x > 0.5 ? 1 : -1; }},
        {"is_nan of it", [](Expr x) { return select(is_nan(x), 0.0f, x * 2); }, [](double) { return 2; }},
        {"a promised clamp", [](Expr x) { return unsafe_promise_clamped(x, 0.0f, 1.0f) * x; }, refused},
        {"a print", [](Expr x) { return print_when(x > 5, x * x); }, [](double x) { return 2 * x; }},
        {"lerp by a constant", [](Expr x) { return lerp(x, x * x, 0.25f); },
         [](double x) { return 0.75 + 0.5 * x; }},
        {"the smaller of two", [](Expr x) { return min(x * x, x * 0.5f); },
         [](double x) { return x < 0.5 ? 2 * x : 0.5; }},
        {"a shared sub-expression",
         [](Expr x) {
             const Expr e = x * x;
             return e * e + e;
         },
         [](double x) { return 4 * x * x * x + 2 * x; }},
        {"sigmoid by hand", [](Expr x) { return 1 / (1 + exp(-x)); },
         [](double x) { return std::exp(-x) / std::pow(1 + std::exp(-x), 2); }},
        {"remainder of an index", [](Expr x) { return x * cast<float>(i % 3 + 1) / cast<float>(i % 3 + 1); },
         [](double) { return 1; }},
    };
}

}  // namespace

TEST_CASE("a construct has the right gradient or a sentence") {
    for (const Construct &construct : constructs()) {
        CAPTURE(construct.name);
        const double error = slope_error(construct);
        if (construct.slope) {
            CHECK(error >= 0);
            CHECK(error <= 2e-3);  // of float32 functions that Halide approximates, and of 16 bits
        } else {
            CHECK(error == -1);
        }
    }
}

TEST_CASE("the diagonal: an index that appears twice") {
    // dx(a, b) is dy(a) where a = b, and 0 elsewhere.
    const ImageParam x(f64, 2, "x");
    Func y("y");
    y(i) = x(i, i);
    Check<double> check(by_hand({x}, {{"y", y}}), {{"x", {{0, 4}, {0, 4}}}, {"y", {{0, 4}}}});
    check.draw(3, 0, 1);
    const Buffer<double> g = check.gradients().at("x");
    g.for_each_element([&](int a, int b) { CHECK(g(a, b) == (a == b ? check.upstream.at("y")(a) : 0.0)); });
}

TEST_CASE("the last element of a region counts, and none beyond it") {
    // Gradients of inputs that are exactly as large as what is read: one element more would be outside of a
    // buffer.
    const ImageParam x(f64, 1, "x"), w(f64, 1, "w");
    RDom r(0, w.dim(0).extent());
    Func y("y");
    y(i) = zero;
    y(i) += x(i + r) * w(r);
    Check<double> check(by_hand({x, w}, {{"y", y}}), {{"x", {{0, 7}}}, {"w", {{0, 3}}}, {"y", {{0, 5}}}});
    check.draw(5, 0, 1);
    const Tensors<double> g = check.gradients();
    const Buffer<double> &u = check.upstream.at("y");
    CHECK(g.at("x")(6) == doctest::Approx(u(4) * check.inputs.at("w")(2)));
    CHECK(g.at("x")(0) == doctest::Approx(u(0) * check.inputs.at("w")(0)));
    double last = 0;
    for (int k = 0; k < 5; k++) {
        last += u(k) * check.inputs.at("x")(k + 2);
    }
    CHECK(g.at("w")(2) == doctest::Approx(last));
}

TEST_CASE("wrappers that a user made before differentiation") {
    ImageParam x(f64, 1, "x");
    Func e("e"), y("y");
    e(i) = exp(x(i));
    y(i) = e(i) * e(i);
    e.in(y).compute_root();
    x.in().compute_root();
    CHECK(gradient_error(by_hand({x}, {{"y", y}}), line, 1) <= gradient_tolerance);
}
