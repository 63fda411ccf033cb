// newton: a logistic regression on the handwritten digits by Newton's method. One kernel gives the loss, its
// gradient, and the product of its second derivatives with a direction, which conjugate gradients ask for.

#include <algorithm>
#include <cstdio>
#include <exception>
#include <iostream>

#include <CLI/CLI.hpp>
#include <HalideBuffer.h>
#include <nlohmann/json.hpp>

#include "apps/digits/data.h"
#include "apps/newton/minimize.h"
#include "logistic_hvp.h"

using namespace eutectic;
using namespace eutectic::newton;

namespace {

constexpr int features = digits::pixels + 1;  // and a 1

struct Options {
    std::string data;
    int digit = 8, steps = 50;
    double penalty = 1e-4, tolerance = 1e-9;
    bool json = false;
};

class Regression {
public:
    Regression(const digits::Digits &data, int digit, double penalty)
        : penalty_(penalty), x_(features, data.count()), side_(data.count()) {
        for (int i = 0; i < data.count(); i++) {
            for (int f = 0; f < digits::pixels; f++) {
                x_(f, i) = data.images[static_cast<size_t>(i) * digits::pixels + f];
            }
            x_(digits::pixels, i) = 1;
            side_(i) = data.labels[static_cast<size_t>(i)] == digit ? 1 : -1;
        }
    }

    Point at(const Vector &w, const Vector &direction) const {
        using Buffer = Halide::Runtime::Buffer<double>;
        Vector weights = w, along = direction;
        Point result{0, Vector(w.size()), Vector(w.size())};
        double upstream = 1;
        Buffer w_buffer(weights.data(), features), t(along.data(), features),
            d_w(result.gradient.data(), features), t_d_w(result.product.data(), features),
            d_loss(&upstream, 0, nullptr), loss(&result.value, 0, nullptr);
        if (logistic_hvp(x_, side_, w_buffer, penalty_, d_loss, t, loss, d_w, t_d_w) != 0) {
            throw std::runtime_error("The kernel logistic_hvp failed; its message is above.");
        }
        return result;
    }

    double right(const Vector &w) const {
        int count = 0;
        for (int i = 0; i < side_.dim(0).extent(); i++) {
            double score = 0;
            for (int f = 0; f < features; f++) {
                score += x_(f, i) * w[static_cast<size_t>(f)];
            }
            count += score * side_(i) > 0;
        }
        return static_cast<double>(count) / side_.dim(0).extent();
    }

private:
    const double penalty_;
    mutable Halide::Runtime::Buffer<double, 2> x_;
    mutable Halide::Runtime::Buffer<double, 1> side_;
};

int run(const Options &options) {
    const Regression regression(
        digits::read_digits(options.data.empty() ? digits::default_data_path() : options.data), options.digit,
        options.penalty);
    Vector w(features, 0.0);
    nlohmann::ordered_json steps = nlohmann::ordered_json::array();
    if (!options.json) {
        std::printf("step          loss      gradient  products  length\n");
    }
    minimize([&](const Vector &at, const Vector &direction) { return regression.at(at, direction); }, w,
             options.tolerance, options.steps,
             [&](const Step &step) {
                 if (!options.json) {
                     std::printf("%4zu  %12.9f  %12.3e  %8d  %6.3g\n", steps.size(), step.value,
                                 step.gradient, step.products, step.length);
                     std::fflush(stdout);
                 }
                 steps.push_back({{"loss", step.value},
                                  {"gradient", step.gradient},
                                  {"products", step.products},
                                  {"length", step.length}});
             });
    const double right = regression.right(w);
    if (options.json) {
        std::cout
            << nlohmann::ordered_json{{"digit", options.digit}, {"right", right}, {"steps", steps}}.dump(1)
            << "\n";
    } else {
        std::printf("%.2f %% of the digits are told to be %d or not.\n", 100 * right, options.digit);
    }
    return 0;
}

}  // namespace

int main(int argc, char **argv) {
    Options options;
    CLI::App app(
        "Tells one handwritten digit from all others by a logistic regression, fitted by Newton's method: "
        "each step's direction by conjugate gradients, whose products of second derivatives with a "
        "direction are one kernel.",
        "newton");
    app.add_option("--digit", options.digit, "the digit (default: 8)")->check(CLI::Range(0, 9));
    app.add_option("--penalty", options.penalty, "of half the square of the weights (default: 1e-4)")
        ->check(CLI::PositiveNumber);
    app.add_option("--tolerance", options.tolerance, "of the gradient's largest element (default: 1e-9)")
        ->check(CLI::PositiveNumber);
    app.add_option("--steps", options.steps, "at most (default: 50)")->check(CLI::PositiveNumber);
    app.add_option("--data", options.data, "a file of digits (default: the one beside the program)")
        ->type_name("FILE");
    app.add_flag("--json", options.json, "print every step as JSON");
    app.footer("examples:\n  newton\n  newton --digit 3 --penalty 0.01\n  newton --json\n\n"
               "Exit status: 0, or 2 for options and data that cannot be used.");
    try {
        app.parse(argc, argv);
        return run(options);
    } catch (const CLI::CallForHelp &help) {
        return app.exit(help);
    } catch (const std::exception &error) {
        std::fprintf(stderr, "newton: %s\n", error.what());
        return 2;
    }
}
