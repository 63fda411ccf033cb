// How far elementary functions are from the correctly rounded result: over every seventh block of
// floats with EUTECTIC_ALL_CASES, else over fewer, but of each exponent.

#include "schedules/elementary/elementary.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "tests/support/all_cases.h"

namespace {

using namespace Halide;
namespace elementary = eutectic::elementary;

/** Targets whose code differs: fast arithmetic, which may be put in another order, and strict. */
std::vector<Target> targets() {
    const Target host = get_jit_target_from_environment();
    return {host, host.with_feature(Target::StrictFloat)};
}

/** A function compiled over a buffer of arguments, in vectors. */
template<typename T>
class Compiled {
public:
    Compiled(Expr (*function)(const Expr &), const Target &target) : x_(type_of<T>(), 1) {
        Var i;
        f_(i) = function(x_(i));
        const int lanes = target.natural_vector_size<T>();
        f_.vectorize(i, lanes, TailStrategy::RoundUp);
        f_.compile_jit(target);
        target_ = target;
    }

    Buffer<T> operator()(Buffer<T> &x) {
        x_.set(x);
        return f_.realize({x.width()}, target_);
    }

private:
    ImageParam x_;
    Func f_;
    Target target_;
};

/** Units in the last place of `exact`, rounded to T. */
template<typename T, typename Exact>
double ulps(T value, Exact exact) {
    const T rounded = static_cast<T>(exact);
    const T next = std::nextafter(std::fabs(rounded), std::numeric_limits<T>::infinity());
    const Exact unit = static_cast<Exact>(next) - static_cast<Exact>(std::fabs(rounded));
    return static_cast<double>(std::fabs(static_cast<Exact>(value) - exact) / unit);
}

struct Worst {
    double ulps = 0, at = 0;
};

/** Over results that are finite and normal. */
template<typename T, typename Exact>
void include(Worst &worst, const Buffer<T> &x, const Buffer<T> &y, Exact (*exact)(Exact)) {
    for (int i = 0; i < x.width(); i++) {
        const Exact expected = exact(static_cast<Exact>(x(i)));
        const T rounded = static_cast<T>(expected);
        if (!std::isnormal(rounded)) {
            continue;
        }
        // A unit is at least the result times half of epsilon: most results need no closer look.
        const Exact difference = std::fabs(static_cast<Exact>(y(i)) - expected);
        const auto half_epsilon = static_cast<Exact>(std::numeric_limits<T>::epsilon() / 2);
        if (difference <= static_cast<Exact>(worst.ulps) * half_epsilon * std::fabs(expected)) {
            continue;
        }
        const double off = std::isfinite(y(i)) ? ulps(y(i), expected) : 1e30;
        if (!(off <= worst.ulps)) {
            worst = {off, static_cast<double>(x(i))};
        }
    }
}

/** Every `step`-th block of floats, by their bits. */
Worst over_floats(Expr (*function)(const Expr &), double (*exact)(double), const Target &target) {
    constexpr int block = 1 << 16;
    // Strict arithmetic leaves out what fast arithmetic may do.
    const bool all = eutectic::test::all_cases() && !target.has_feature(Target::StrictFloat);
    const uint64_t step = all ? 7 : 251;  // odd: blocks of every exponent
    Compiled<float> compiled(function, target);
    Buffer<float> x(block);
    Worst worst;
    for (uint64_t first = 0; first < (uint64_t{1} << 32); first += block * step) {
        for (int i = 0; i < block; i++) {
            const uint32_t bits = static_cast<uint32_t>(first) + static_cast<uint32_t>(i);
            float value = 0;
            std::memcpy(&value, &bits, sizeof(value));
            x(i) = std::isfinite(value) ? value : 1.0f;
        }
        include(worst, x, compiled(x), exact);
    }
    return worst;
}

/** Doubles of every exponent in `from` to `to` and both signs, their fractions at random. */
Worst over_doubles(Expr (*function)(const Expr &), long double (*exact)(long double), const Target &target) {
    constexpr int block = 1 << 16;
    const int blocks = eutectic::test::all_cases() ? 256 : 8;
    Compiled<double> compiled(function, target);
    Buffer<double> x(block);
    Worst worst;
    uint64_t state = 88172645463325252u;
    for (int b = 0; b < blocks; b++) {
        for (int i = 0; i < block; i++) {
            state ^= state << 13, state ^= state >> 7, state ^= state << 17;  // xorshift (Marsaglia 2003)
            // Half of them near 1, where results neither vanish nor overflow.
            const uint64_t exponent = (i & 1) ? 1023 - 60 + (state >> 52) % 71 : (state >> 52) % 2047;
            const uint64_t bits = (state & ((uint64_t{1} << 52) - 1)) | exponent << 52 | (state << 63);
            std::memcpy(&x(i), &bits, sizeof(bits));
        }
        include(worst, x, compiled(x), exact);
    }
    return worst;
}

/** A function of T, and one that is right to more places. */
template<typename T, typename Exact>
struct Case {
    const char *name;
    Expr (*function)(const Expr &);
    Exact (*exact)(Exact);
    double bound;  ///< ulp, as in elementary.h
};

const Case<float, double> singles[] = {
    {"expm1", elementary::expm1, std::expm1, 1.4},
    {"log1p", elementary::log1p, std::log1p, 0.8},
    {"tanh", elementary::tanh, std::tanh, 2.1},
    {"sin", elementary::sin, std::sin, 1.6},
    {"cos", elementary::cos, std::cos, 1.6},
    {"erf", elementary::erf, std::erf, 0.9},
    {"rsqrt", elementary::rsqrt, [](double x) { return 1 / std::sqrt(x); }, 1.5},
};

const Case<double, long double> doubles[] = {
    {"exp", elementary::exp, std::exp, 1.0},
    {"log", elementary::log, std::log, 0.8},
    {"expm1", elementary::expm1, std::expm1, 1.1},
    {"log1p", elementary::log1p, std::log1p, 0.8},
    {"tanh", elementary::tanh, std::tanh, 2.2},
    {"rsqrt", elementary::rsqrt, [](long double x) { return 1 / std::sqrt(x); }, 1.5},
};

template<typename T, typename Exact, int N>
void check_errors(const Case<T, Exact> (&cases)[N],
                  Worst (*over)(Expr (*)(const Expr &), Exact (*)(Exact), const Target &)) {
    for (const Target &target : targets()) {
        for (const Case<T, Exact> &of : cases) {
            const Worst worst = over(of.function, of.exact, target);
            CAPTURE(std::string(of.name));
            CAPTURE(target.to_string());
            CAPTURE(worst.at);
            MESSAGE(std::string(of.name) << ": " << worst.ulps << " ulp at " << worst.at);
            CHECK(worst.ulps <= of.bound);
        }
    }
}

TEST_CASE("Elementary functions of floats are right to the last places") {
    check_errors(singles, over_floats);
}

TEST_CASE("Elementary functions of doubles are right to the last places") {
    check_errors(doubles, over_doubles);
}

struct Samples {
    std::vector<float> bases, exponents;
};

/** Ends and edges of both, and others at random. */
Samples samples_of_powers() {
    const float infinity = std::numeric_limits<float>::infinity();
    std::vector<float> bases{0.0f,   -0.0f,    1.0f,      -1.0f,       2.0f,       -2.0f,
                             0.5f,   -0.5f,    1e-45f,    1e-38f,      3.4e38f,    -3.4e38f,
                             1e-40f, infinity, -infinity, 0.99999994f, 1.0000001f, 10.0f};
    std::vector<float> exponents{0.0f,        1.0f,       -1.0f, 2.0f,     3.0f,     -3.0f, 0.5f,
                                 -0.5f,       2.4f,       13.7f, 1e-30f,   -1e-30f,  1e30f, -1e30f,
                                 16777217.0f, 8388609.0f, 1e8f,  infinity, -infinity};
    uint32_t state = 2463534242u;
    for (int i = 0; i < 3000; i++) {
        for (std::vector<float> *values : {&bases, &exponents}) {
            state ^= state << 13, state ^= state >> 17, state ^= state << 5;
            const int exponent = static_cast<int>(state % 40) - 20;
            const float fraction = 1 + static_cast<float>(state >> 8) / 16777216;
            values->push_back(std::ldexp(fraction, values == &bases ? exponent : exponent / 4));
        }
    }
    return {bases, exponents};
}

TEST_CASE("Powers of floats are right to the last places, and at the ends of their domain as C's") {
    auto [bases, exponents] = samples_of_powers();
    const int n = static_cast<int>(bases.size()), m = static_cast<int>(exponents.size());
    for (const Target &target : targets()) {
        Buffer<float> x(bases.data(), n), y(exponents.data(), m);
        ImageParam px(Float(32), 1), py(Float(32), 1);
        Var i, j;
        Func power;
        power(i, j) = elementary::pow(px(i), py(j));
        power.vectorize(i, target.natural_vector_size<float>());
        px.set(x);
        py.set(y);
        const Buffer<float> result = power.realize({n, m}, target);
        const bool strict = target.has_feature(Target::StrictFloat);
        double worst = 0;
        std::string at;
        int wrong = 0;
        for (int b = 0; b < m; b++) {
            for (int a = 0; a < n; a++) {
                const double exact = std::pow(static_cast<double>(x(a)), static_cast<double>(y(b)));
                const float rounded = static_cast<float>(exact), got = result(a, b);
                if (std::isnormal(rounded)) {
                    const double off = std::isfinite(got) ? ulps(got, exact) : 1e30;
                    if (!(off <= worst)) {
                        worst = off;
                        at = std::to_string(x(a)) + " ^ " + std::to_string(y(b));
                    }
                } else if (strict && std::isfinite(rounded)) {
                    wrong += !(std::fabs(static_cast<double>(got) - exact) < 1.5e-45);
                } else if (strict) {
                    const bool same = std::isnan(rounded)
                                          ? std::isnan(got)
                                          : got == rounded && std::signbit(got) == std::signbit(rounded);
                    wrong += !same;
                    if (!same) {
                        CHECK_MESSAGE(false,
                                      x(a) << " ^ " << y(b) << " is " << got << " and should be " << rounded);
                    }
                }
            }
        }
        MESSAGE("pow of float: " << worst << " ulp at " << at << ", " << target.to_string());
        CHECK(worst <= 1.3);
        CHECK(wrong == 0);
    }
}

/** `near`: how far off, as a part of the result, what is finite may be. */
template<typename T, typename Exact, int N>
void check_ends(const Case<T, Exact> (&cases)[N], T near) {
    const double infinity = std::numeric_limits<double>::infinity(),
                 nan = std::numeric_limits<double>::quiet_NaN();
    Buffer<T> x(64);
    x.fill(1);
    int n = 0;
    for (const double end :
         {infinity, -infinity, nan, 0.0, -1.0, -2.0, 1000.0, -1000.0, 1e-320, 1e300, 5e-324, -0.0}) {
        x(n++) = static_cast<T>(end);
    }
    for (const Case<T, Exact> &of : cases) {
        const Buffer<T> y = Compiled<T>(of.function, targets()[1])(x);
        for (int i = 0; i < n; i++) {
            const auto expected = static_cast<T>(of.exact(static_cast<Exact>(x(i))));
            CAPTURE(std::string(of.name));
            CAPTURE(x(i));
            CAPTURE(y(i));
            CHECK((std::isnan(expected)   ? std::isnan(y(i))
                   : std::isinf(expected) ? y(i) == expected
                                          : std::fabs(y(i) - expected) <=
                                                near * std::fabs(expected) + std::numeric_limits<T>::min()));
            if (x(i) == 0) {
                CHECK(std::signbit(y(i)) == std::signbit(expected));
            }
        }
    }
}

TEST_CASE("Elementary functions have the usual values at the ends of their domains") {
    check_ends(singles, 2e-7f);
    check_ends(doubles, 4e-16);
}

}  // namespace
