// How far functions by a device's own instructions are from the correctly rounded result, evaluated on the
// CPU with instructions that are off by as much as the device's may be, to either side.

#include "schedules/elementary/approximate.h"

#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "schedules/elementary/elementary.h"

namespace {

using namespace Halide;
namespace approximate = eutectic::approximate;
namespace elementary = eutectic::elementary;

double off = 0;  // relative error of the instructions that are made next

/** A float of the exact value, off by as much, without numbers below the smallest normal one. */
Expr rounded(const Expr &exact) {
    const Expr f = cast<float>(exact * Expr(1 + off));
    return select(abs(f) < std::numeric_limits<float>::min(), 0.0f, f);
}

const approximate::Instructions by = {
    [](const Expr &x) { return rounded(elementary::exp(cast<double>(x) * Expr(std::log(2.0)))); },
    [](const Expr &x) {
        // Near 1 its error is absolute.
        const Expr exact = elementary::log(cast<double>(x)) / Expr(std::log(2.0));
        return select(x > 0.5f && x < 2.0f, cast<float>(exact + Expr(off)), rounded(exact));
    },
    [](const Expr &x) { return rounded(Expr(1.0) / cast<double>(x)); },
    [](const Expr &a, const Expr &b) { return rounded(cast<double>(a) / cast<double>(b)); },
};

std::vector<float> results(Expr (*function)(const Expr &, const approximate::Instructions &),
                           std::vector<float> &at) {
    Var i;
    Func f;
    const Buffer<float> x(at.data(), static_cast<int>(at.size()));
    f(i) = strict_float(function(x(i), by));
    const Buffer<float> y =
        f.realize({x.width()}, get_jit_target_from_environment().with_feature(Target::StrictFloat));
    return {y.data(), y.data() + at.size()};
}

std::vector<float> evenly(float from, float to) {
    std::vector<float> x;
    constexpr int n = 20011;
    for (int i = 0; i <= n; i++) {
        x.push_back(from + (to - from) * (static_cast<float>(i) / n));
    }
    return x;
}

std::vector<float> of_each_exponent() {
    std::vector<float> x;
    for (int e = -125; e < 127; e++) {
        for (const float mantissa : {1.0f, 1.0001f, 1.3f, 1.7f, 1.9999f}) {
            x.push_back(std::ldexp(mantissa, e));
        }
    }
    return x;
}

}  // namespace

TEST_CASE("errors are within their bounds") {
    const double unit = std::ldexp(1.0, -22);
    const std::vector<float> x = evenly(-86, 88);
    std::vector<float> of_tanh = evenly(-12, 12), small = of_each_exponent();
    for (const float s : small) {
        if (s < 20) {
            of_tanh.push_back(s);
            of_tanh.push_back(-s);
        }
    }
    const struct {
        const char *name;
        Expr (*function)(const Expr &, const approximate::Instructions &);
        double (*exact)(double);
        std::vector<float> at;
        std::function<double(double x, double y)> bound;
    } table[] = {
        {"exp", approximate::exp, std::exp, x,
         [&](double a, double y) { return (2 + std::abs(a)) * unit * y; }},
        {"log", approximate::log, std::log, small,
         [&](double, double y) { return 2 * unit * std::max(1.0, std::abs(y)); }},
        {"tanh", approximate::tanh, std::tanh, of_tanh,
         [&](double, double y) { return 8 * unit * std::abs(y); }},
    };
    for (const auto &row : table) {
        for (const double error : {-unit, 0.0, unit}) {
            off = error;
            std::vector<float> at = row.at;
            const std::vector<float> y = results(row.function, at);
            double worst = 0;
            float where = 0;
            for (size_t i = 0; i < at.size(); i++) {
                const double exact = row.exact(at[i]);
                const double of_bound = std::abs(y[i] - exact) / row.bound(at[i], exact);
                if (of_bound > worst) {
                    worst = of_bound;
                    where = at[i];
                }
            }
            INFO(row.name << " with instructions off by " << error << ": " << worst << " of the bound at "
                          << where);
            CHECK(worst <= 1);
            CHECK(worst > 0.01);  // the bound says something
        }
    }
}

TEST_CASE("infinities and NaN") {
    off = 0;
    const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
    std::vector<float> at = {-inf, inf, nan, 0.0f, -0.0f};
    const std::vector<float> e = results(approximate::exp, at), t = results(approximate::tanh, at);
    CHECK(e[0] == 0);
    CHECK(e[1] == inf);
    CHECK(std::isnan(e[2]));
    CHECK(e[3] == 1);
    CHECK(t[0] == -1);
    CHECK(t[1] == 1);
    CHECK(std::isnan(t[2]));
    CHECK(t[3] == 0);
    CHECK((t[4] == 0 && std::signbit(t[4])));
}
