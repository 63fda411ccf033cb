// Pipelines of 16-bit floats: gradients have the digits of their types, and lose no more on the way.

#include "autodiff/differentiate.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

using namespace eutectic;
using namespace Halide;

namespace {

// Half of the distance between neighbours, relative: one rounding.
double rounding_of(const Type &t) {
    return t.is_bfloat() ? std::pow(2, -8) : std::pow(2, -11);
}

// What a 16-bit buffer holds, and what a number becomes in it.
double value_at(const Buffer<> &b, int i, int j = 0) {
    const int at[] = {i, j};
    const void *address = b.raw_buffer()->address_of(at);
    return b.type().is_bfloat()    ? static_cast<double>(*static_cast<const bfloat16_t *>(address))
           : b.type().bits() == 16 ? static_cast<double>(*static_cast<const float16_t *>(address))
                                   : static_cast<double>(*static_cast<const float *>(address));
}

void set(Buffer<> &b, int i, int j, double value) {
    const int at[] = {i, j};
    void *address = b.raw_buffer()->address_of(at);
    if (b.type().is_bfloat()) {
        *static_cast<bfloat16_t *>(address) = bfloat16_t(value);
    } else if (b.type().bits() == 16) {
        *static_cast<float16_t *>(address) = float16_t(value);
    } else {
        *static_cast<float *>(address) = static_cast<float>(value);
    }
}

Buffer<> drawn(const Type &type, int columns, int rows, unsigned seed, double low = -1, double high = 1) {
    Buffer<> b(type, {columns, rows});
    std::uint32_t state = seed * 2654435761u + 12345u;
    for (int j = 0; j < rows; j++) {
        for (int i = 0; i < columns; i++) {
            state = state * 1664525u + 1013904223u;
            set(b, i, j, low + (high - low) * (state >> 8) / (1u << 24));
        }
    }
    return b;
}

// The gradients of y by x and w, with `scale` times ones upstream, and nothing kept.
struct Gradients {
    Buffer<> d_x, d_w;
};
Gradients gradients_of(Func y, ImageParam x, ImageParam w, const Buffer<> &x_values, const Buffer<> &w_values,
                       const Buffer<> &d_y) {
    DifferentiationProblem problem;
    problem.inputs = {x.parameter(), w.parameter()};
    problem.outputs = {{"y", y}};
    problem.joint = true;
    const Differentiated d = differentiate(problem);
    x.set(x_values);
    w.set(w_values);
    ImageParam(d.upstream[0]).set(d_y);
    Gradients result{Buffer<>(x.type(), {x_values.width(), x_values.height()}),
                     Buffer<>(w.type(), {w_values.width(), w_values.height()})};
    Func d_x = d.gradients[0].func, d_w = d.gradients[1].func;
    CHECK(d_x.type() == x.type());
    CHECK(d_w.type() == w.type());
    d_x.realize(Pipeline::RealizationArg(result.d_x));
    d_w.realize(Pipeline::RealizationArg(result.d_w));
    return result;
}

}  // namespace

TEST_CASE("a gradient that sums up thousands of terms is rounded once") {
    for (const Type &type : {Float(16), BFloat(16)}) {
        for (const bool stored_narrow : {true, false}) {
            CAPTURE(type.is_bfloat());
            CAPTURE(stored_narrow);
            const int rows = 3000, k = 5, n = 4;
            ImageParam x(type, 2, "x"), w(type, 2, "w");
            Var i("i"), j("j");
            RDom r(0, k);
            Func c("c"), y("y");
            c(j, i) += cast<float>(x(r.x, i)) * cast<float>(w(j, r.x));
            y(j, i) = stored_narrow ? cast(type, c(j, i)) : c(j, i);
            const Type out = stored_narrow ? type : Float(32);
            const Buffer<> xs = drawn(type, k, rows, 1, 0.5, 1), ws = drawn(type, n, k, 2),
                           d_y = drawn(out, n, rows, 3, 0, 1.0 / 64);
            const Gradients got = gradients_of(y, x, w, xs, ws, d_y);
            for (int p = 0; p < k; p++) {
                for (int q = 0; q < n; q++) {
                    double wanted = 0;
                    for (int row = 0; row < rows; row++) {
                        wanted += value_at(xs, p, row) * value_at(d_y, q, row);
                    }
                    CHECK(std::abs(value_at(got.d_w, q, p) - wanted) <= 1.01 * rounding_of(type) * wanted);
                }
            }
        }
    }
}

TEST_CASE("contributions of many readers are added up before they are rounded") {
    for (const Type &type : {Float(16), BFloat(16)}) {
        const int n = 37;
        ImageParam x(type, 2, "x"), w(type, 2, "w");
        Var i("i"), j("j");
        // h is stored with 16 bits and read 65 times, once as it is and 64 times in little steps.
        Func h("h"), y("y");
        h(j, i) = cast(type, cast<float>(x(j, i)) * cast<float>(w(j, i)));
        Expr sum = cast<float>(h(j, i)) * 256;
        for (int reader = 0; reader < 64; reader++) {
            Func little("little");
            little(j, i) = cast(type, cast<float>(h(j, i)) * (0.25f + 0.001f * reader));
            sum += cast<float>(little(j, i));
        }
        y(j, i) = sum;
        const Buffer<> xs = drawn(type, n, 3, 1, 0.5, 1), ws = drawn(type, n, 3, 2, 0.5, 1),
                       d_y = drawn(Float(32), n, 3, 3, 1, 1);
        const Gradients got = gradients_of(y, x, w, xs, ws, d_y);
        const double slope = 256 + 64 * 0.25 + 0.001 * 63 * 64 / 2;
        for (int column = 0; column < n; column++) {
            const double wanted = slope * value_at(ws, column, 1);
            CHECK(std::abs(value_at(got.d_x, column, 1) - wanted) <= 1.01 * rounding_of(type) * wanted);
        }
    }
}

TEST_CASE("what the forward rounds stays rounded in the backward") {
    for (const Type &type : {Float(16), BFloat(16)}) {
        ImageParam x(type, 2, "x"), w(type, 2, "w");
        Var i("i"), j("j");
        Func h("h"), y("y");
        h(j, i) = cast(type, exp(cast<float>(x(j, i))));
        y(j, i) = cast<float>(h(j, i)) * cast<float>(h(j, i)) * cast<float>(w(j, i));
        const int n = 41;
        const Buffer<> xs = drawn(type, n, 2, 1), ws = drawn(type, n, 2, 2, 0.5, 1),
                       d_y = drawn(Float(32), n, 2, 3, 1, 1);
        const Gradients got = gradients_of(y, x, w, xs, ws, d_y);
        for (int column = 0; column < n; column++) {
            Buffer<> stored(type, {1, 1});
            set(stored, 0, 0, std::exp(value_at(xs, column, 1)));
            const double kept = value_at(stored, 0, 0), wanted = kept * kept;
            CHECK(std::abs(value_at(got.d_w, column, 1) - wanted) <= 1.01 * rounding_of(type) * wanted);
        }
    }
}

TEST_CASE("a scatter sums up in 32 bits, too") {
    for (const Type &type : {Float(16), BFloat(16)}) {
        ImageParam x(type, 2, "x"), w(type, 2, "w");
        Var i("i"), j("j");
        Func y("y");
        y(j, i) = cast<float>(x(j % 3, i)) * cast<float>(w(j, i));  // each of three is read a thousand times
        const int n = 3000;
        const Buffer<> xs = drawn(type, 3, 2, 1), ws = drawn(type, n, 2, 2, 0.5, 1),
                       d_y = drawn(Float(32), n, 2, 3, 0.01, 0.02);
        const Gradients got = gradients_of(y, x, w, xs, ws, d_y);
        for (int p = 0; p < 3; p++) {
            double wanted = 0;
            for (int column = p; column < n; column += 3) {
                wanted += value_at(ws, column, 1) * value_at(d_y, column, 1);
            }
            CHECK(std::abs(value_at(got.d_x, p, 1) - wanted) <= 1.01 * rounding_of(type) * wanted);
        }
    }
}

TEST_CASE("an upstream gradient that is a scale keeps small gradients from vanishing") {
    ImageParam x(Float(16), 2, "x"), w(Float(16), 2, "w");
    Var i("i"), j("j");
    RDom all(0, 8, 0, 4);
    Func h("h"), loss("loss");
    h(j, i) = cast(Float(16), cast<float>(x(j, i)) * cast<float>(w(j, i)));
    loss() += cast<float>(h(all.x, all.y)) * 1e-6f;
    const Buffer<> xs = drawn(Float(16), 8, 4, 1, 0.001, 0.002), ws = drawn(Float(16), 8, 4, 2, 0.5, 1);
    for (const float scale : {1.0f, 65536.0f}) {
        Buffer<float> d_loss = Buffer<float>::make_scalar();
        d_loss() = scale;
        const Gradients got = gradients_of(loss, x, w, xs, ws, d_loss);
        for (int column = 0; column < 8; column++) {
            const double wanted = scale * 1e-6 * value_at(xs, column, 2), is = value_at(got.d_w, column, 2);
            CAPTURE(scale);
            CAPTURE(is);
            CAPTURE(wanted);
            CHECK((scale == 1 ? is == 0 || wanted > std::pow(2, -25)
                              : std::abs(is - wanted) <= 1.01 * rounding_of(Float(16)) * wanted));
        }
    }
}
