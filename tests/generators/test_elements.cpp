// Element-wise, gathering, scattering and view generators, unscheduled, against naive references.

#include "generators/ops.h"
#include "tests/generators/kernel.h"

#include <algorithm>
#include <cmath>

using namespace Halide;
using namespace eutectic::test;

namespace {

const Extent columns{2, 9}, rows{-3, 5};

int end_of(const Extent &e) {
    return e.min + e.extent;
}

template<typename T>
void test_vectors() {
    const Shape shape{{-4, 19}};
    Kernel log1pexp("log1pexp", with_type<T>());
    const auto x = log1pexp.input<T>("x", shape, 5);
    check_same<T>(log1pexp.run<T>(shape)[0],
                  [&](const int *at) { return std::log1p(std::exp(static_cast<double>(x(at)))); });

    Kernel gelu("gelu", with_type<T>());
    const auto g = gelu.input<T>("x", shape, 12);  // beyond where the exponent is clamped, too
    check_same<T>(gelu.run<T>(shape)[0], [&](const int *at) {
        const auto v = static_cast<double>(g(at));
        return v / 2 * (1 + std::tanh(std::sqrt(2 / M_PI) * (v + 0.044715 * v * v * v)));
    });

    Kernel sum_exp("sum_exp", with_type<T>());
    const auto z = sum_exp.input<T>("x", shape, 5);
    double sum = 0;
    z.for_each_value([&](T v) { sum += std::exp(static_cast<double>(v)); });
    check_same<T>(sum_exp.run<T>({})[0], [&](const int *) { return sum; });
}

/// The chain of `length` operations.
double chain(double v, int length) {
    for (int s = 1; s <= length; s++) {
        const double results[] = {std::max(v, 0.125), v * 1.25,         v - 0.375,
                                  std::abs(v),        std::min(v, 2.0), v * v};
        v = results[s % 6];
    }
    return v;
}

template<typename T>
void test_tables() {
    const Extent width{2, 6}, vocabulary{-3, 7}, count{4, 12};
    Kernel embedding("embedding", with_type<T>());
    const auto table = embedding.input<T>("table", {width, vocabulary});
    const auto indices = embedding.labels("indices", {count}, -6, 13);  // some outside of the table
    const auto clamped = [&](int index) { return std::clamp(index, vocabulary.min, end_of(vocabulary) - 1); };
    check_same<T>(embedding.run<T>({width, count})[0],
                  [&](const int *at) { return static_cast<double>(table(at[0], clamped(indices(at[1])))); });

    Kernel scatter("scatter_add", with_type<T>());
    const auto start = scatter.input<T>("table", {width, vocabulary}),
               added = scatter.input<T>("rows", {width, count});
    const auto targets = scatter.labels("indices", {count}, -6, 13);
    check_same<T>(scatter.run<T>({width, vocabulary})[0], [&](const int *at) {
        double sum = static_cast<double>(start(at[0], at[1]));
        for (int i = count.min; i < end_of(count); i++) {
            sum += clamped(targets(i)) == at[1] ? static_cast<double>(added(at[0], i)) : 0;
        }
        return sum;
    });
}

}  // namespace

TEST_CASE("log1pexp, gelu and sum_exp") {
    test_vectors<float>();
    test_vectors<double>();
}

TEST_CASE("pointwise_chain of any length, one Func each") {
    const Shape shape{{-4, 19}};
    for (const int length : {1, 2, 6, 12, 17}) {
        CAPTURE(length);
        Kernel kernel("pointwise_chain", with_type<float>({{"length", std::to_string(length)}}));
        const auto x = kernel.input<float>("x", shape, 3);
        check_same<float>(kernel.run<float>(shape)[0],
                          [&](const int *at) { return chain(static_cast<double>(x(at)), length); });
        CHECK(kernel.funcs() == length);
    }
}

TEST_CASE("embedding and scatter_add, with indices outside of the table") {
    test_tables<float>();
    test_tables<double>();
}

TEST_CASE("dropout drops by seed and coordinates, and scales the rest") {
    const Shape shape{{3, 64}, {4, 50}};
    Kernel kernel("dropout", {{"rate", "0.25"}});
    const auto x = kernel.input<float>("x", shape);
    kernel.scalar<uint32_t>("seed", 7);
    const Buffer<float> y = kernel.run<float>(shape)[0];
    // dense_dropout's test compares the bits with the published generator; this one takes them from it.
    Func bits("bits");
    Var j("j"), i("i");
    bits(j, i) = eutectic::random_bits(Expr(7u), j, i);
    Buffer<uint32_t> drawn = make<uint32_t>(shape);
    bits.realize(drawn);
    const auto is_kept = [&](const int *at) { return drawn(at) >= 1u << 30; };
    check_same<float>(y,
                      [&](const int *at) { return is_kept(at) ? static_cast<double>(x(at)) / 0.75 : 0.0; });
    int kept = 0;
    y.for_each_element([&](const int *at) { kept += is_kept(at); });
    CHECK(std::abs(kept / 3200.0 - 0.75) < 0.04);  // five standard deviations
}

TEST_CASE("views: flatten") {
    Kernel kernel("views", {{"view", "flatten"}});
    const auto x = kernel.input<float>("x", {columns, rows}), b = kernel.input<float>("b", {columns});
    check_same<float>(kernel.run<float>({{0, columns.extent * rows.extent}})[0], [&](const int *at) {
        const int j = columns.min + at[0] % columns.extent, i = rows.min + at[0] / columns.extent;
        return std::max(static_cast<double>(x(j, i)) + static_cast<double>(b(j)), 0.0);
    });
}

TEST_CASE("views: concatenate") {
    const Extent more{-1, 4};
    Kernel kernel("views", {{"view", "concatenate"}});
    const auto a = kernel.input<float>("a", {columns, rows}), b = kernel.input<float>("b", {more, rows});
    check_same<float>(
        kernel.run<float>({{columns.min, columns.extent + more.extent}, rows})[0], [&](const int *at) {
            const float v = at[0] < end_of(columns) ? a(at) : b(at[0] - end_of(columns) + more.min, at[1]);
            return static_cast<double>(std::max(v, 0.0f));
        });
}

TEST_CASE("views: slice and assign") {
    Kernel slice("views", {{"view", "slice"}, {"begin", "2"}});
    const auto x = slice.input<float>("x", {{columns.min, columns.extent + 2}, rows});
    check_same<float>(slice.run<float>({columns, rows})[0], [&](const int *at) {
        return static_cast<double>(std::max(x(at[0] + 2, at[1]), 0.0f));
    });

    const Extent some{-2, 3};
    Kernel assign("views", {{"view", "assign"}});
    const auto z = assign.input<float>("x", {columns, rows}), v = assign.input<float>("v", {columns, some});
    check_same<float>(assign.run<float>({columns, rows})[0], [&](const int *at) {
        return static_cast<double>(std::max(at[1] >= some.min && at[1] < end_of(some) ? v(at) : z(at), 0.0f));
    });
}

TEST_CASE("views: transpose") {
    const Extent inner{-1, 6};
    Kernel kernel("views", {{"view", "transpose"}});
    const auto x = kernel.input<float>("x", {rows, inner}), w = kernel.input<float>("w", {columns, inner});
    check_same<float>(kernel.run<float>({columns, rows})[0], [&](const int *at) {
        double sum = 0;
        for (int r = inner.min; r < end_of(inner); r++) {
            sum += static_cast<double>(x(at[1], r)) * static_cast<double>(w(at[0], r));
        }
        return sum;
    });
}
