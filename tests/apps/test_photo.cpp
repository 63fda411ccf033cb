// photo's compiled kernels: fused against unfused, their gradients against differences, and that they learn.

#include "apps/photo/comparison.h"
#include "apps/photo/training.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

using namespace eutectic;
using namespace eutectic::photo;

namespace {

const std::vector<std::pair<int, int>> sizes = {{1, 1},  {1, 2},   {2, 1},    {1, 9},    {9, 1},   {3, 5},
                                                {8, 8},  {17, 9},  {31, 33},  {64, 48},  {65, 49}, {129, 67},
                                                {40, 1}, {1, 200}, {256, 64}, {301, 203}};

/// Smooth in places, with edges and noise.
Floats picture(int columns, int rows, uint64_t seed) {
    Floats planes(columns, rows, 3);
    Random random(seed);
    planes.for_each_element([&](int x, int y, int c) {
        const bool inside = (x / 11 + y / 7) % 2 == 0;
        const float value =
            (inside ? 0.2f : 0.7f) + 0.002f * static_cast<float>(x) + 0.1f * static_cast<float>(c);
        planes(x, y, c) = std::clamp(value + 0.05f * random.symmetric(), 0.0f, 1.0f);
    });
    return planes;
}

/// Parameters that change everything.
Parameters drawn(uint64_t seed) {
    Parameters p = Parameters::identity();
    Random random(seed);
    for (const auto &[name, tensor] : p.named()) {
        tensor->for_each_value([&](float &v) { v += 0.3f * random.symmetric(); });
    }
    p.strength.for_each_value([](float &v) { v += 0.7f; });
    p.sharpen.for_each_value([](float &v) { v += 1; });
    return p;
}

/// NaN stays.
void raise(double &most, double value) {
    most = std::isnan(most) || value <= most ? most : value;
}

double apart(const Floats &a, const Floats &b) {
    double most = 0;
    a.for_each_value([&](float u, float v) { raise(most, std::abs(static_cast<double>(u) - v)); }, b);
    return most;
}

double largest(const Floats &a) {
    double most = 0;
    a.for_each_value([&](float v) { raise(most, std::abs(static_cast<double>(v))); });
    return most;
}

}  // namespace

TEST_CASE("fused kernels restore what unfused ones do, at every size") {
    const auto fused = fused_kernels(), unfused = unfused_kernels();
    Parameters parameters = drawn(5);
    for (const auto &[columns, rows] : sizes) {
        CAPTURE(columns);
        CAPTURE(rows);
        Floats in = picture(columns, rows, 3), out = in.copy(), other = in.copy();
        fused->restore(in, parameters, out);
        unfused->restore(in, parameters, other);
        // Sums in another order and products that are added without a rounding: some 50 units in the last
        // place of 1.
        CHECK(apart(out, other) <= 6e-6);
        if (columns * rows > 20) {
            CHECK(apart(out, in) > 0.02);
        }
    }
}

TEST_CASE("parameters that are not learned leave a photograph as it is") {
    Parameters parameters = Parameters::identity();
    const auto fused = fused_kernels();
    for (const auto &[columns, rows] : sizes) {
        Floats in = picture(columns, rows, 4), out = in.copy();
        out.fill(NAN);
        fused->restore(in, parameters, out);
        CHECK(apart(out, in) <= 1e-5);
    }
}

TEST_CASE("zeros as parameters, and pictures of one colour, give numbers") {
    const auto fused = fused_kernels();
    Parameters zeros, gradients;
    for (const auto &[name, tensor] : zeros.named()) {
        tensor->fill(0);
    }
    Parameters no_coring = drawn(9);
    no_coring.coring.fill(0);
    for (const float value : {0.0f, 0.5f, 1.0f, -3.0f, 40.0f}) {
        Floats in(21, 13, 3), out = in.copy();
        in.fill(value);
        for (Parameters *parameters : {&zeros, &no_coring}) {
            fused->restore(in, *parameters, out);
            CHECK(std::isfinite(fused->differentiate(in, *parameters, out, gradients)));
            for (const auto &[name, tensor] : gradients.named()) {
                CHECK(std::isfinite(largest(*tensor)));
            }
        }
    }
}

TEST_CASE("fused gradients are the unfused ones, at every size") {
    const auto fused = fused_kernels(), unfused = unfused_kernels();
    Parameters parameters = drawn(6), gradients, others;
    for (const auto &[columns, rows] : sizes) {
        CAPTURE(columns);
        CAPTURE(rows);
        Floats in = picture(columns, rows, 3), wanted = picture(columns, rows, 8);
        const float loss = fused->differentiate(in, parameters, wanted, gradients);
        CHECK(loss == doctest::Approx(unfused->differentiate(in, parameters, wanted, others)).epsilon(1e-5));
        const auto a = gradients.named(), b = others.named();
        for (size_t t = 0; t < a.size(); t++) {
            CAPTURE(std::string(a[t].first));
            // Of some pixels, which look like all around them, gradients are what is left of sums that
            // cancel.
            const double rounding = columns * rows < 10 ? 3e-8 : 1e-9;
            CHECK(apart(*a[t].second, *b[t].second) <= 1e-4 * largest(*b[t].second) + rounding);
        }
    }
}

TEST_CASE("the compiled gradients are differences of the compiled loss") {
    const auto fused = fused_kernels();
    Parameters parameters = drawn(7), gradients, unused;
    Floats in = picture(61, 43, 1), wanted = picture(61, 43, 2);
    fused->differentiate(in, parameters, wanted, gradients);
    const auto values = parameters.named(), slopes = gradients.named();
    for (size_t t = 0; t < values.size(); t++) {
        CAPTURE(std::string(values[t].first));
        Floats &value = *values[t].second, &slope = *slopes[t].second;
        const double most = largest(slope);
        CHECK(most > 1e-5);
        for (size_t i = 0; i < value.number_of_elements(); i++) {
            // The loss of some hundredths has 8 digits: its differences over 0.04 are right to 1e-7.
            constexpr float step = 0.02f;
            float &number = value.data()[i];
            const float before = number;
            number = before + step;
            const double above = fused->differentiate(in, parameters, wanted, unused);
            number = before - step;
            const double below = fused->differentiate(in, parameters, wanted, unused);
            number = before;
            CHECK(std::abs((above - below) / (2.0 * step) - slope.data()[i]) <= 0.01 * most + 1e-6);
        }
    }
}

TEST_CASE("learning raises the PSNR of a corner of the photograph by 5 dB in 80 steps") {
    const Picture whole = read_picture(EUTECTIC_PHOTOGRAPH);
    REQUIRE(whole.columns == 600);
    Picture corner{192, 128};
    for (int y = 0; y < corner.rows; y++) {
        const auto row = whole.colours.begin() + 3 * (600 * (100 + y) + 150);
        corner.colours.insert(corner.colours.end(), row, row + 3 * corner.columns);
    }
    const Picture before = degraded(corner, 1);
    CHECK(degraded(corner, 1).colours == before.colours);
    CHECK(degraded(corner, 2).colours != before.colours);
    Floats in = planes_of(before), wanted = planes_of(corner);
    const auto fused = fused_kernels();
    Trainer trainer(*fused, in, wanted, {80});
    double first = 0;
    for (int step = 0; step < 80; step++) {
        const double loss = trainer.step();
        first = step == 0 ? psnr_of(loss) : first;
    }
    Floats out = in.copy();
    fused->restore(in, trainer.parameters(), out);
    CHECK(first == doctest::Approx(psnr(before, corner)).epsilon(0.002));
    CHECK(psnr(picture_of(out), corner) > psnr(before, corner) + 5);

    const Comparison comparison = compare(*fused, *unfused_kernels(), in, wanted, trainer.parameters(), 0.01);
    CHECK(comparison.agrees());
    CHECK(comparison.fused_step > 0);
    CHECK(comparison.unfused_restore > 0);
}

TEST_CASE("steps look at windows of large pictures, and are the same for a seed") {
    const auto fused = fused_kernels();
    Floats in = picture(90, 70, 1), wanted = picture(90, 70, 2);
    const auto losses = [&](uint64_t seed) {
        Schedule schedule;
        schedule.steps = 5, schedule.window = 32, schedule.seed = seed;
        Trainer trainer(*fused, in, wanted, schedule);
        std::vector<double> all;
        for (int step = 0; step < 5; step++) {
            all.push_back(trainer.step());
        }
        CHECK(trainer.first_window(in).width() == 32);
        return all;
    };
    CHECK(losses(1) == losses(1));
    CHECK(losses(1) != losses(2));
}
