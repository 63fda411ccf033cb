// Matrix products, attention, convolutions and pooling, unscheduled, against naive references, in every type.

#include "generators/ops.h"
#include "tests/generators/kernel.h"

using namespace Halide;
using namespace eutectic::test;

namespace {

using Parameters = std::map<std::string, std::string>;

const Extent m{4, 5}, k{-2, 7}, n{3, 11}, batch{-1, 3};

template<typename T>
double at(const Buffer<T> &buffer, const std::vector<int> &index) {
    return static_cast<double>(buffer(index.data()));
}

double relu(double v) {
    return std::max(v, 0.0);
}

template<typename T>
void test_matmul(bool transpose_a, bool transpose_b, const std::string &epilogue) {
    const auto flag = [](bool value) { return value ? "true" : "false"; };
    Kernel kernel("matmul", with_type<T>({{"transpose_a", flag(transpose_a)},
                                          {"transpose_b", flag(transpose_b)},
                                          {"epilogue", epilogue}}));
    const auto a = kernel.input<T>("a", transpose_a ? Shape{m, k} : Shape{k, m}),
               b = kernel.input<T>("b", transpose_b ? Shape{k, n} : Shape{n, k});
    Buffer<T> bias;
    if (epilogue != "none") {
        bias = kernel.input<T>("bias", {n});
    }
    check_same<T>(kernel.run<T>({n, m})[0], [&](const int *p) {
        const int j = p[0], i = p[1];
        double sum = epilogue == "none" ? 0 : at(bias, {j});
        for (int r = k.min; r < k.min + k.extent; r++) {
            sum +=
                (transpose_a ? at(a, {i, r}) : at(a, {r, i})) * (transpose_b ? at(b, {r, j}) : at(b, {j, r}));
        }
        return epilogue == "bias_relu" ? relu(sum) : sum;
    });
}

template<typename A, typename B>
void test_integer_matmul(const std::string &type, bool transpose_b) {
    Kernel kernel("integer_matmul", {{"type", type},
                                     {"unsigned_a", std::is_unsigned_v<A> ? "true" : "false"},
                                     {"transpose_b", transpose_b ? "true" : "false"}});
    int next = 0;
    Buffer<A> a = kernel.input<A>("a", {k, m}, 0);
    a.for_each_value(
        [&](A &v) { v = static_cast<A>(22111 * next++); });  // of both signs, where there are two
    const auto b = kernel.input<B>("b", transpose_b ? Shape{k, n} : Shape{n, k}, 127);
    check_same<int>(kernel.run<int>({n, m})[0], [&](const int *p) {
        double sum = 0;
        for (int r = k.min; r < k.min + k.extent; r++) {
            sum += at(a, {r, p[1]}) * (transpose_b ? at(b, {r, p[0]}) : at(b, {p[0], r}));
        }
        return sum;
    });
}

template<typename T>
void test_batched_matmul(const std::string &broadcast) {
    Kernel kernel("batched_matmul", with_type<T>({{"broadcast", broadcast}}));
    const bool same_a = broadcast == "a", same_b = broadcast == "b";
    const auto a = kernel.input<T>("a", same_a ? Shape{k, m} : Shape{k, m, batch}),
               b = kernel.input<T>("b", same_b ? Shape{n, k} : Shape{n, k, batch});
    check_same<T>(kernel.run<T>({n, m, batch})[0], [&](const int *p) {
        double sum = 0;
        for (int r = k.min; r < k.min + k.extent; r++) {
            sum += (same_a ? at(a, {r, p[1]}) : at(a, {r, p[1], p[2]})) *
                   (same_b ? at(b, {p[0], r}) : at(b, {p[0], r, p[2]}));
        }
        return sum;
    });
}

template<typename T>
void test_attention(bool causal) {
    const Extent d{-2, 7}, queries{4, 6}, keys{-3, 8};
    Kernel kernel("attention", with_type<T>({{"causal", causal ? "true" : "false"}}));
    const auto q = kernel.input<T>("q", {d, queries}, 4), key = kernel.input<T>("k", {d, keys}),
               v = kernel.input<T>("v", {d, keys});
    check_same<T>(kernel.run<T>({d, queries})[0], [&](const int *p) {
        double sum = 0, weighted = 0;
        for (int t = 0; t < keys.extent; t++) {
            double score = 0;
            for (int c = d.min; c < d.min + d.extent; c++) {
                score += at(q, {c, p[1]}) * at(key, {c, keys.min + t});
            }
            const double weight =
                causal && t > p[1] - queries.min ? 0 : std::exp(score / std::sqrt(d.extent));
            sum += weight;
            weighted += weight * at(v, {p[0], keys.min + t});
        }
        return weighted / sum;
    });
}

const Extent in{1, 6}, out{-2, 5}, lines{4, 7}, images{3, 2}, taps{0, 3};

/// x there, or `outside` where x has no column u or row v.
template<typename T>
double padded(const Buffer<T> &x, int c, int u, int v, int image, double outside = 0) {
    const bool inside =
        u >= x.dim(1).min() && u <= x.dim(1).max() && v >= x.dim(2).min() && v <= x.dim(2).max();
    return inside ? at(x, {c, u, v, image}) : outside;
}

/// sum over a 3x3 window and the input channels.
template<typename X, typename T>
double convolve(const X &x, const Buffer<T> &w, int c, int u, int v, int stride, int padding) {
    double sum = 0;
    for (int kv = 0; kv < 3; kv++) {
        for (int ku = 0; ku < 3; ku++) {
            for (int ci = w.dim(1).min(); ci <= w.dim(1).max(); ci++) {
                sum += x(ci, u * stride + ku - padding, v * stride + kv - padding) * at(w, {c, ci, ku, kv});
            }
        }
    }
    return sum;
}

template<typename T>
void test_conv2d(int stride, int padding) {
    Kernel kernel("conv2d",
                  with_type<T>({{"stride", std::to_string(stride)}, {"padding", std::to_string(padding)}}));
    // Without padding x holds what the windows reach.
    const Extent columns{2, 6},
        wide = padding ? Extent{2 * stride, 5 * stride} : Extent{2 * stride, 5 * stride + 3};
    const Extent high = padding ? Extent{4 * stride + 1, 6 * stride} : Extent{4 * stride, 6 * stride + 3};
    const auto x = kernel.input<T>("x", {in, wide, high, images}),
               w = kernel.input<T>("w", {out, in, taps, taps}), b = kernel.input<T>("b", {out});
    check_same<T>(kernel.run<T>({out, columns, lines, images})[0], [&](const int *p) {
        const auto pixel = [&](int c, int u, int v) { return padded(x, c, u, v, p[3]); };
        return relu(convolve(pixel, w, p[0], p[1], p[2], stride, padding) + at(b, {p[0]}));
    });
}

template<typename T>
void test_depthwise_separable(int stride) {
    const Extent columns{2, 6};
    Kernel kernel("depthwise_separable", with_type<T>({{"stride", std::to_string(stride)}}));
    const auto x = kernel.input<T>("x", {in, {2 * stride, 6 * stride}, {4 * stride, 7 * stride - 1}, images});
    const auto w1 = kernel.input<T>("w1", {in, taps, taps}), w2 = kernel.input<T>("w2", {out, in}),
               b = kernel.input<T>("b", {out});
    check_same<T>(kernel.run<T>({out, columns, lines, images})[0], [&](const int *p) {
        double sum = at(b, {p[0]});
        for (int c = in.min; c < in.min + in.extent; c++) {
            double depthwise = 0;
            for (int tap = 0; tap < 9; tap++) {
                depthwise += padded(x, c, p[1] * stride + tap % 3 - 1, p[2] * stride + tap / 3 - 1, p[3]) *
                             at(w1, {c, tap % 3, tap / 3});
            }
            sum += depthwise * at(w2, {p[0], c});
        }
        return relu(sum);
    });
}

template<typename T>
void test_bottleneck() {
    const Extent channels{1, 6}, inner{-2, 4}, columns{2, 5};
    Kernel kernel("bottleneck", with_type<T>());
    const auto x = kernel.input<T>("x", {channels, columns, lines, images});
    const auto w1 = kernel.input<T>("w1", {inner, channels}), b1 = kernel.input<T>("b1", {inner});
    const auto w2 = kernel.input<T>("w2", {inner, inner, taps, taps}), b2 = kernel.input<T>("b2", {inner});
    const auto w3 = kernel.input<T>("w3", {channels, inner}), b3 = kernel.input<T>("b3", {channels});
    check_same<T>(kernel.run<T>({channels, columns, lines, images})[0], [&](const int *p) {
        const auto first = [&](int c, int u, int v) {
            double sum = at(b1, {c});
            for (int ci = channels.min; ci < channels.min + channels.extent; ci++) {
                sum += padded(x, ci, u, v, p[3]) * at(w1, {c, ci});
            }
            const bool inside = u >= columns.min && u < columns.min + columns.extent && v >= lines.min &&
                                v < lines.min + lines.extent;
            return inside ? relu(sum) : 0.0;
        };
        double sum = at(b3, {p[0]}) + at(x, {p[0], p[1], p[2], p[3]});
        for (int c = inner.min; c < inner.min + inner.extent; c++) {
            sum += relu(convolve(first, w2, c, p[1], p[2], 1, 1) + at(b2, {c})) * at(w3, {p[0], c});
        }
        return relu(sum);
    });
}

template<typename T>
void test_pooling(const std::string &name, int size, int stride, int padding) {
    const Extent columns{2, 6};
    Kernel kernel(name, with_type<T>({{"kernel", std::to_string(size)},
                                      {"stride", std::to_string(stride)},
                                      {"padding", std::to_string(padding)}}));
    const Extent wide = padding ? Extent{2 * stride, 6 * stride - 1} : Extent{2 * stride, 5 * stride + size};
    const Extent high = padding ? Extent{4 * stride, 7 * stride} : Extent{4 * stride, 6 * stride + size};
    const auto x = kernel.input<T>("x", {in, wide, high, images});
    check_same<T>(kernel.run<T>({in, columns, lines, images})[0], [&](const int *p) {
        double largest = -INFINITY, sum = 0;
        for (int tap = 0; tap < size * size; tap++) {
            const int u = p[1] * stride + tap % size - padding, v = p[2] * stride + tap / size - padding;
            largest = std::max(largest, padded(x, p[0], u, v, p[3], -INFINITY));
            sum += padded(x, p[0], u, v, p[3]);
        }
        return name == "max_pool" ? largest : sum / (size * size);
    });
}

}  // namespace

TEST_CASE("matmul: every transposition, every epilogue") {
    for (const bool a : {false, true}) {
        for (const bool b : {false, true}) {
            CAPTURE(a);
            CAPTURE(b);
            test_matmul<float>(a, b, "bias_relu");
        }
    }
    test_matmul<double>(true, false, "bias");
    test_matmul<float16_t>(false, true, "none");
    test_matmul<bfloat16_t>(false, false, "bias_relu");
}

TEST_CASE("integer_matmul: of every type, in both orders") {
    for (const bool transpose_b : {false, true}) {
        CAPTURE(transpose_b);
        test_integer_matmul<int8_t, int8_t>("int8", transpose_b);
        test_integer_matmul<uint8_t, int8_t>("int8", transpose_b);
        test_integer_matmul<int16_t, int16_t>("int16", transpose_b);
    }
}

TEST_CASE("batched_matmul: no operand the same for all, or one") {
    for (const std::string broadcast : {"none", "a", "b"}) {
        CAPTURE(broadcast);
        test_batched_matmul<float>(broadcast);
        test_batched_matmul<double>(broadcast);
    }
    test_batched_matmul<float16_t>("b");
}

TEST_CASE("attention, of all keys and causal") {
    for (const bool causal : {false, true}) {
        test_attention<float>(causal);
        test_attention<double>(causal);
    }
    test_attention<bfloat16_t>(true);
}

TEST_CASE("conv2d: strides and padding") {
    for (const int stride : {1, 2}) {
        for (const int padding : {0, 1}) {
            CAPTURE(stride);
            CAPTURE(padding);
            test_conv2d<float>(stride, padding);
        }
    }
    test_conv2d<double>(1, 1);
    test_conv2d<float16_t>(1, 1);
    test_conv2d<bfloat16_t>(2, 1);
}

TEST_CASE("depthwise_separable and bottleneck") {
    test_depthwise_separable<float>(1);
    test_depthwise_separable<double>(2);
    test_bottleneck<float>();
    test_bottleneck<double>();
}

TEST_CASE("max_pool and avg_pool, padded or not") {
    for (const std::string name : {"max_pool", "avg_pool"}) {
        CAPTURE(name);
        test_pooling<float>(name, 3, 2, 1);
        test_pooling<double>(name, 2, 2, 0);
        test_pooling<float16_t>(name, 3, 1, 1);
    }
}
