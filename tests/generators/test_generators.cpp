// Generators, unscheduled, against a naive reference written here, at small odd sizes with mins that are not
// zero.

#include "generators/ops.h"
#include "tests/generators/kernel.h"

#include <array>
#include <set>

using namespace Halide;
using namespace eutectic::test;
using Halide::Internal::GeneratorRegistry;

namespace {

double reference(const std::string &activation, double v) {
    if (activation == "relu") {
        return std::max(v, 0.0);
    }
    if (activation == "tanh") {
        return std::tanh(v);
    }
    return activation == "gelu" ? v / 2 * (1 + std::tanh(std::sqrt(2 / M_PI) * (v + 0.044715 * v * v * v)))
                                : v;
}

const Extent m{4, 5}, k{-2, 7}, n{3, 11};

template<typename T>
void test_dense(const std::string &activation) {
    Kernel kernel("dense", with_type<T>({{"activation", activation}}));
    const auto x = kernel.input<T>("x", {k, m}), w = kernel.input<T>("w", {n, k}),
               b = kernel.input<T>("b", {n});
    check_same<T>(kernel.run<T>({n, m})[0],
                  [&](const int *at) { return reference(activation, affine(x, w, b, at[0], at[1])); });
}

// Philox-4x32-10 once more, in plain C++.
std::array<uint32_t, 4> philox(std::array<uint32_t, 4> c, std::array<uint32_t, 2> key) {
    for (int round = 0; round < 10; round++) {
        const uint64_t a = uint64_t(0xD2511F53) * c[0], b = uint64_t(0xCD9E8D57) * c[2];
        c = {uint32_t(b >> 32) ^ c[1] ^ key[0], uint32_t(b), uint32_t(a >> 32) ^ c[3] ^ key[1], uint32_t(a)};
        key = {key[0] + 0x9E3779B9, key[1] + 0xBB67AE85};
    }
    return c;
}

template<typename T>
void test_mlp(bool with_loss) {
    const std::vector<Extent> widths{{1, 6}, {0, 9}, {5, 4}, {-1, 3}};
    const Extent batch{2, 5};
    Kernel kernel(with_loss ? "mlp_loss" : "mlp", with_type<T>({{"widths", "6,9,4,3"}}));
    Buffer<T> h = kernel.input<T>("x", {widths[0], batch});
    for (size_t l = 1; l < widths.size(); l++) {
        const std::string number = std::to_string(l);
        const auto w = kernel.input<T>("w" + number, {widths[l], widths[l - 1]}),
                   b = kernel.input<T>("b" + number, {widths[l]});
        Buffer<T> next = make<T>({widths[l], batch});
        next.for_each_element([&](const int *at) {
            const double z = affine(h, w, b, at[0], at[1]);
            next(at) = static_cast<T>(l + 1 == widths.size() ? z : std::max(z, 0.0));
        });
        h = next;
    }
    if (!with_loss) {
        check_same<T>(kernel.run<T>({widths.back(), batch})[0],
                      [&](const int *at) { return static_cast<double>(h(at)); });
        return;
    }
    const auto labels = kernel.labels("labels", {batch}, -1, 3);
    double loss = 0;
    for (int i = labels.dim(0).min(); i <= labels.dim(0).max(); i++) {
        loss += (log_sum_exp(h, i) - static_cast<double>(h(labels(i), i))) / 5;
    }
    check_same<T>(kernel.run<T>({})[0], [&](const int *) { return loss; });
}

template<typename T>
void test_adam(int step) {
    const Shape shape{{-4, 9}};
    Kernel kernel("adam", with_type<T>());
    const auto p = kernel.input<T>("p", shape), moment = kernel.input<T>("m", shape),
               g = kernel.input<T>("g", shape);
    auto v = kernel.input<T>("v", shape);
    v.for_each_value([](T &e) { e = e * e; });
    const double lr = 0.01, beta1 = 0.9, beta2 = 0.99, epsilon = 1e-6;
    kernel.scalar<T>("lr", static_cast<T>(lr));
    kernel.scalar<T>("beta1", static_cast<T>(beta1));
    kernel.scalar<T>("beta2", static_cast<T>(beta2));
    kernel.scalar<T>("epsilon", static_cast<T>(epsilon));
    kernel.scalar<int>("step", step);
    const auto out = kernel.run<T>(shape, 3);
    const auto m_new = [&](const int *at) { return beta1 * moment(at) + (1 - beta1) * g(at); };
    const auto v_new = [&](const int *at) {
        return beta2 * v(at) + (1 - beta2) * static_cast<double>(g(at)) * g(at);
    };
    check_same<T>(out[1], m_new);
    check_same<T>(out[2], v_new);
    check_same<T>(out[0], [&](const int *at) {
        const double m_hat = m_new(at) / (1 - std::pow(beta1, step)),
                     v_hat = v_new(at) / (1 - std::pow(beta2, step));
        return p(at) - lr * m_hat / (std::sqrt(v_hat) + epsilon);
    });
}

}  // namespace

TEST_CASE("every generator of the project is here") {
    const std::vector<std::string> names = GeneratorRegistry::enumerate();
    const std::set<std::string> registered(names.begin(), names.end());
    std::set<std::string> expected = {"integer_matmul"};  // which has no derivatives
    for (const std::string name : {"adam",
                                   "attention",
                                   "avg_pool",
                                   "batched_matmul",
                                   "bottleneck",
                                   "conv2d",
                                   "dense",
                                   "dense_dropout",
                                   "depthwise_separable",
                                   "dropout",
                                   "embedding",
                                   "gelu",
                                   "layernorm",
                                   "log1pexp",
                                   "log_softmax",
                                   "matmul",
                                   "max_pool",
                                   "mlp",
                                   "mlp_loss",
                                   "pointwise_chain",
                                   "rmsnorm",
                                   "scatter_add",
                                   "softmax",
                                   "softmax_xent",
                                   "sum_exp",
                                   "views"}) {
        expected.insert({name, name + "_forward", name + "_backward", name + "_gradient", name + "_tangent",
                         name + "_hvp", name + "_batched"});
    }
    CHECK(registered == expected);
}

TEST_CASE("dense") {
    for (const std::string activation : {"relu", "none", "gelu", "tanh"}) {
        CAPTURE(activation);
        test_dense<float>(activation);
        test_dense<double>(activation);
    }
}

TEST_CASE("dense: one Func for each operation") {
    CHECK(Kernel("dense", {{"activation", "relu"}}).funcs() == 3);
    CHECK(Kernel("dense", {{"activation", "none"}}).funcs() == 2);
    CHECK(Kernel("dense_dropout", {}).funcs() == 4);
}

TEST_CASE("Philox-4x32-10 gives the published numbers") {
    struct Known {
        std::array<uint32_t, 4> counter;
        std::array<uint32_t, 2> key;
        std::array<uint32_t, 4> result;
    };
    // The known-answer vectors of the authors' library, Random123.
    const std::vector<Known> vectors{
        {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
         {0xffffffff, 0xffffffff},
         {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
         {0xa4093822, 0x299f31d0},
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    for (const Known &known : vectors) {
        const auto words = eutectic::philox4x32(
            {Expr(known.counter[0]), Expr(known.counter[1]), Expr(known.counter[2]), Expr(known.counter[3])},
            {Expr(known.key[0]), Expr(known.key[1])});
        CHECK(philox(known.counter, known.key) == known.result);
        for (size_t word = 0; word < 4; word++) {
            Func f;
            f() = words[word];
            const Buffer<uint32_t> got = f.realize();
            CHECK(got() == known.result[word]);
        }
    }
}

TEST_CASE("dense_dropout drops by seed and coordinate, and scales the rest") {
    const double rate = 0.3;
    const uint32_t seed = 12345, dropped = static_cast<uint32_t>(std::ldexp(static_cast<double>(0.3f), 32));
    const Shape large{{3, 64}, {4, 50}};
    Kernel kernel("dense_dropout", {{"rate", "0.3"}});
    const auto x = kernel.input<float>("x", {k, large[1]}), w = kernel.input<float>("w", {large[0], k}),
               b = kernel.input<float>("b", {large[0]});
    kernel.scalar<uint32_t>("seed", seed);
    const Buffer<float> y = kernel.run<float>(large)[0];
    const auto is_kept = [&](const int *at) {
        return philox({uint32_t(at[0]), uint32_t(at[1]), 0, 0}, {seed, 0})[0] >= dropped;
    };
    check_same<float>(y, [&](const int *at) {
        return is_kept(at) ? std::max(affine(x, w, b, at[0], at[1]), 0.0) / (1 - rate) : 0.0;
    });
    int kept = 0;
    y.for_each_element([&](const int *at) { kept += is_kept(at); });
    // Five standard deviations of 3200 draws.
    CHECK(std::abs(kept / 3200.0 - 0.7) < 0.04);
    kernel.scalar<uint32_t>("seed", seed + 1);
    const Buffer<float> other = kernel.run<float>(large)[0];
    int different = 0;
    other.for_each_element([&](const int *at) { different += other(at) != y(at); });
    CHECK(different > 100);
}

TEST_CASE("a dropout rate outside [0, 1) is refused") {
    auto g = GeneratorRegistry::create("dense_dropout", GeneratorContext(get_jit_target_from_environment()));
    g->set_generatorparam_value("rate", "1");
    CHECK_THROWS_WITH(g->build_pipeline(),
                      "Dropout was asked for with rate=1, but a rate is at least 0 and less than 1.");
}

TEST_CASE("mlp and mlp_loss") {
    for (const bool with_loss : {false, true}) {
        test_mlp<float>(with_loss);
        test_mlp<double>(with_loss);
    }
}

TEST_CASE("widths that are none are refused") {
    for (const std::string widths :
         {"", "64", "64,", "64,,10", "64,0", "64,x", "64, 10", "-1,3", "99999999999,3"}) {
        auto g = GeneratorRegistry::create("mlp", GeneratorContext(get_jit_target_from_environment()));
        g->set_generatorparam_value("widths", widths);
        CHECK_THROWS_WITH(
            g->arginfos(),
            ("Generator \"mlp\" was given widths=\"" + widths +
             "\", but widths are at least two positive numbers separated by commas, as in 64,256,128,10.")
                .c_str());
    }
}

TEST_CASE("adam, at the first step and later") {
    for (const int step : {1, 2, 1000}) {
        test_adam<float>(step);
        test_adam<double>(step);
    }
}

TEST_CASE("activations through exp are right and finite everywhere") {
    Param<double> at;
    Func tanh_at, gelu_at, tanh_float, gelu_float;
    tanh_at() = eutectic::tanh_through_exp(at);
    gelu_at() = eutectic::gelu(at);
    tanh_float() = eutectic::tanh_through_exp(cast<float>(at));
    gelu_float() = eutectic::gelu(cast<float>(at));
    for (double v : {0.0, 1e-8, 1e-3, 0.1, 0.5, 1.0, 3.0, 9.9, 10.1, 20.0, 44.0, 1e3, 1e30}) {
        for (const double sign : {-1.0, 1.0}) {
            CAPTURE(sign * v);
            at.set(sign * v);
            const double t = reference("tanh", sign * v),
                         g = v > 1e3 ? std::max(sign * v, 0.0) : reference("gelu", sign * v);
            CHECK(Buffer<double>(tanh_at.realize())() == doctest::Approx(t).epsilon(1e-14));
            // The far negative side ends at 1e-36 |v| instead of 0.
            CHECK(std::abs(Buffer<double>(gelu_at.realize())() - g) <=
                  1e-13 * std::max(1.0, std::abs(g)) + 1e-36 * v);
            CHECK(Buffer<float>(tanh_float.realize())() == doctest::Approx(t).epsilon(1e-6));
            CHECK(std::abs(static_cast<double>(Buffer<float>(gelu_float.realize())()) - g) <=
                  1e-6 * std::max(1.0, std::abs(g)));
        }
    }
}
