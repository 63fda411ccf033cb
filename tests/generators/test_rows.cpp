// Operations on rows, unscheduled, against naive references, in every type.

#include "generators/ops.h"
#include "tests/generators/kernel.h"

using namespace Halide;
using namespace eutectic::test;

namespace {

const Extent columns{2, 9}, rows{-3, 5};

/// Mean of f over row i.
template<typename T>
double mean(const Buffer<T> &x, int i, const std::function<double(double)> &f) {
    double sum = 0;
    for (int j = x.dim(0).min(); j <= x.dim(0).max(); j++) {
        sum += f(static_cast<double>(x(j, i)));
    }
    return sum / x.dim(0).extent();
}

template<typename T>
double layernorm(const Buffer<T> &x, const Buffer<T> &scale, const Buffer<T> &bias, int j, int i,
                 double epsilon) {
    const double m = mean(x, i, [](double v) { return v; }),
                 variance = mean(x, i, [&](double v) { return (v - m) * (v - m); });
    return (static_cast<double>(x(j, i)) - m) / std::sqrt(variance + epsilon) *
               static_cast<double>(scale(j)) +
           static_cast<double>(bias(j));
}

template<typename T>
void test_normalizations() {
    Kernel kernel("layernorm", with_type<T>({{"epsilon", "0.0625"}}));
    const auto x = kernel.input<T>("x", {columns, rows}, 3), scale = kernel.input<T>("scale", {columns}),
               bias = kernel.input<T>("bias", {columns});
    check_same<T>(kernel.run<T>({columns, rows})[0],
                  [&](const int *at) { return layernorm(x, scale, bias, at[0], at[1], 0.0625); });

    Kernel rms("rmsnorm", with_type<T>({{"epsilon", "0.0625"}}));
    const auto z = rms.input<T>("x", {columns, rows}, 3), weight = rms.input<T>("scale", {columns});
    check_same<T>(rms.run<T>({columns, rows})[0], [&](const int *at) {
        const double square = mean(z, at[1], [](double v) { return v * v; });
        return static_cast<double>(z(at[0], at[1])) / std::sqrt(square + 0.0625) *
               static_cast<double>(weight(at[0]));
    });
}

template<typename T>
void test_softmax(double scale) {
    Kernel softmax("softmax", with_type<T>());
    const auto x = softmax.input<T>("x", {columns, rows}, scale);
    check_same<T>(softmax.run<T>({columns, rows})[0], [&](const int *at) {
        return std::exp(static_cast<double>(x(at)) - log_sum_exp(x, at[1]));
    });

    Kernel log_softmax("log_softmax", with_type<T>());
    const auto z = log_softmax.input<T>("x", {columns, rows}, scale);
    check_same<T>(log_softmax.run<T>({columns, rows})[0],
                  [&](const int *at) { return static_cast<double>(z(at)) - log_sum_exp(z, at[1]); });

    Kernel xent("softmax_xent", with_type<T>());
    const auto logits = xent.input<T>("x", {columns, rows}, scale);
    const auto labels = xent.labels("labels", {rows}, columns.min, columns.extent);
    double loss = 0;
    for (int i = rows.min; i < rows.min + rows.extent; i++) {
        loss += (log_sum_exp(logits, i) - static_cast<double>(logits(labels(i), i))) / rows.extent;
    }
    check_same<T>(xent.run<T>({})[0], [&](const int *) { return loss; });
}

}  // namespace

TEST_CASE("layernorm and rmsnorm") {
    test_normalizations<float>();
    test_normalizations<double>();
    test_normalizations<float16_t>();
    test_normalizations<bfloat16_t>();
}

TEST_CASE("softmax, log_softmax and softmax_xent, at ordinary and at large arguments") {
    for (const double scale : {1.0, 300.0}) {
        test_softmax<float>(scale);
        test_softmax<double>(scale);
        test_softmax<float16_t>(scale);
        test_softmax<bfloat16_t>(scale);
    }
}

TEST_CASE("rows of a tensor with more dimensions, as a network is written") {
    Buffer<float> x(7, 3, 2), scale(7), bias(7);
    std::mt19937 engine(3);
    for (Buffer<float> *buffer : {&x, &scale, &bias}) {
        buffer->for_each_value([&](float &v) { v = std::uniform_real_distribution<float>(-1, 1)(engine); });
    }
    Func in("in");
    Var j("j"), i("i"), h("h");
    in(j, i, h) = x(j, i, h);
    const RDom r(0, 7);
    const Func y = eutectic::softmax(eutectic::layernorm(in, r, Func(scale), Func(bias), 0.5f), r);
    const Buffer<float> got = Func(y).realize({7, 3, 2});
    for (int s = 0; s < 2; s++) {
        const Buffer<float> slice = x.sliced(2, s), result = got.sliced(2, s);
        Buffer<float> normal(7, 3);
        normal.for_each_element([&](const int *at) {
            normal(at) = static_cast<float>(layernorm(slice, scale, bias, at[0], at[1], 0.5));
        });
        check_same<float>(result, [&](const int *at) {
            return std::exp(static_cast<double>(normal(at)) - log_sum_exp(normal, at[1]));
        });
    }
}
