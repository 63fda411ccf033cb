#pragma once

// Generators without a schedule, compiled in the process, and what their results are compared with.

#include <Halide.h>

#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace eutectic::test {

struct Extent {
    int min, extent;
};
using Shape = std::vector<Extent>;

template<typename T>
Halide::Buffer<T> make(const Shape &shape) {
    std::vector<int> sizes, mins;
    for (const Extent &e : shape) {
        sizes.push_back(e.extent);
        mins.push_back(e.min);
    }
    Halide::Buffer<T> buffer = Halide::Buffer<T>(sizes);
    buffer.set_min(mins);
    buffer.for_each_value([](T &v) { v = T(0); });
    return buffer;
}

/// One generator compiled in the process.
class Kernel {
public:
    /// With these generator parameters.
    Kernel(const std::string &name, const std::map<std::string, std::string> &parameters);

    /// How many Funcs it has beside its inputs.
    int funcs() const;

    /// A random input in (-scale, scale).
    template<typename T>
    Halide::Buffer<T> input(const std::string &name, const Shape &shape, double scale = 1) {
        Halide::Buffer<T> buffer = make<T>(shape);
        buffer.for_each_value(
            [&](T &v) { v = T(std::uniform_real_distribution<double>(-scale, scale)(engine_)); });
        generator_->input_parameter(name)[0].set_buffer(buffer);
        return buffer;
    }
    /// Random integers from `low` on.
    Halide::Buffer<int> labels(const std::string &name, const Shape &shape, int low, int count);

    template<typename T>
    void scalar(const std::string &name, T value) {
        generator_->input_parameter(name)[0].set_scalar<T>(value);
    }
    template<typename T>
    std::vector<Halide::Buffer<T>> run(const Shape &shape, int outputs = 1) {
        std::vector<Halide::Buffer<T>> results;
        std::vector<Halide::Buffer<>> buffers;
        for (int i = 0; i < outputs; i++) {
            results.push_back(make<T>(shape));
            buffers.push_back(results.back());
        }
        Halide::Realization realization(buffers);
        pipeline_.realize(realization);
        return results;
    }

private:
    std::unique_ptr<Halide::Internal::AbstractGenerator> generator_;
    Halide::Pipeline pipeline_;
    std::mt19937 engine_{7};
};

template<typename T>
std::map<std::string, std::string> with_type(std::map<std::string, std::string> parameters = {}) {
    parameters["type"] =
        Halide::type_of<T>().is_bfloat() ? "bfloat16" : "float" + std::to_string(8 * sizeof(T));
    return parameters;
}

template<typename T>
double tolerance() {  // one rounding to the stored type, and some of the arithmetic
    return Halide::type_of<T>().is_bfloat() ? 5e-3 : sizeof(T) == 2 ? 1e-3 : sizeof(T) == 4 ? 2e-5 : 1e-13;
}

template<typename T>
void check_same(const Halide::Buffer<T> &got, const std::function<double(const int *)> &expected) {
    double worst = 0;
    got.for_each_element([&](const int *at) {
        const double error =
            std::abs(static_cast<double>(got(at)) - expected(at)) / std::max(1.0, std::abs(expected(at)));
        worst = std::isnan(error) ? INFINITY : std::max(worst, error);
    });
    CHECK(worst <= tolerance<T>());
}

/// sum over k of x(k, i) w(j, k) + b(j)
template<typename T>
double affine(const Halide::Buffer<T> &x, const Halide::Buffer<T> &w, const Halide::Buffer<T> &b, int j,
              int i) {
    double sum = static_cast<double>(b(j));
    for (int k = x.dim(0).min(); k <= x.dim(0).max(); k++) {
        sum += static_cast<double>(x(k, i)) * static_cast<double>(w(j, k));
    }
    return sum;
}

/// log of the sum of exponentials of row i, the slow and exact way.
template<typename T>
double log_sum_exp(const Halide::Buffer<T> &x, int i) {
    double largest = -INFINITY, sum = 0;
    for (int j = x.dim(0).min(); j <= x.dim(0).max(); j++) {
        largest = std::max(largest, static_cast<double>(x(j, i)));
    }
    for (int j = x.dim(0).min(); j <= x.dim(0).max(); j++) {
        sum += std::exp(static_cast<double>(x(j, i)) - largest);
    }
    return std::log(sum) + largest;
}

}  // namespace eutectic::test
