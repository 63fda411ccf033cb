// Contractions and reductions of many shapes and types give the serial program's values, whichever policy
// they get.

#include <doctest/doctest.h>

#include <array>
#include <cstdio>
#include <fstream>

#include "Halide.h"

#include "schedules/autoschedule.h"
#include "tests/schedules/jit_check.h"
#include "tests/support/occurrences.h"
#include "tests/support/pipelines.h"

using namespace Halide;
using namespace eutectic::test;

namespace {

Var x("x"), y("y"), c("c");

}  // namespace

TEST_CASE("element types") {
    for (const Type type : {Float(64), Int(32), UInt(16)}) {
        INFO(type);
        const auto make = [=] {
            const ImageParam a = image("a", {40, 48}, type), b = image("b", {56, 40}, type);
            RDom k(0, a.dim(0).extent());
            Func mm("mm"), out("out");
            mm(x, y) = cast(type, 0);
            mm(x, y) += a(k, y) * b(x, k);
            out(x, y) = mm(x, y) * 2 + cast(type, 1);
            estimate(out, {56, 48});
            return Program{{a, b}, {out}, {}};
        };
        check_same_values(make, {{{{40, 48}, {56, 40}}, {{56, 48}}}, {{{3, 5}, {7, 3}}, {{7, 5}}}});
    }
}

TEST_CASE("bytes multiplied into 32-bit sums") {
    const auto make = [] {
        const ImageParam a = image("a", {100, 64}, UInt(8)), b = image("b", {64, 100}, UInt(8));
        RDom k(0, a.dim(0).extent());
        Func mm("mm"), out("out");
        mm(x, y) += cast<int>(a(k, y)) * cast<int>(b(x, k));
        out(x, y) = cast<uint8_t>(clamp(mm(x, y) / 1024, 0, 255));
        estimate(out, {64, 64});
        return Program{{a, b}, {out}, {}};
    };
    check_same_values(make, {{{{100, 64}, {64, 100}}, {{64, 64}}}, {{{7, 3}, {5, 7}}, {{5, 3}}}});
}

TEST_CASE("a reduction longer than the caches, alone and with what reads it") {
    for (const bool read : {false, true}) {
        INFO(read);
        const auto make = [=] {
            const ImageParam a = image("a", {20000, 32}), b = image("b", {96, 20000});
            RDom k(0, a.dim(0).extent());
            Func mm("mm"), out("out");
            mm(x, y) += a(k, y) * b(x, k);
            out(x, y) = max(mm(x, y), 0.0f);
            const Func result = read ? out : mm;
            estimate(result, {96, 32});
            return Program{{a, b}, {result}, {}};
        };
        check_same_values(make, {{{{20000, 32}, {96, 20000}}, {{96, 32}}},
                                 {{{3, 5}, {7, 3}}, {{7, 5}}},
                                 {{{5000, 33}, {1, 5000}}, {{1, 33}}}});
    }
}

TEST_CASE("rows that share sets of a cache are packed, of sums as a whole and in chunks" *
          doctest::test_suite("slow")) {
    for (const int k : {512, 6000}) {
        INFO(k);
        const auto make = [=] {
            const ImageParam a = image("a", {k, 384}), b = image("b", {1024, k});
            RDom r(0, a.dim(0).extent());
            Func mm("mm"), out("out");
            mm(x, y) += a(r, y) * b(x, r);
            out(x, y) = max(mm(x, y), 0.0f);
            estimate(out, {1024, 384});
            return Program{{a, b}, {out}, {}};
        };
        const std::string schedule = check_same_values(make, {{{{k, 384}, {1024, k}}, {{1024, 384}}},
                                                              {{{3, 5}, {7, 3}}, {{7, 5}}},
                                                              {{{k + 1, 49}, {65, k + 1}}, {{65, 49}}},
                                                              {{{17, 385}, {1030, 17}}, {{1030, 385}}}});
        CHECK(occurrences(schedule, "Halide::Func b_pack") == 1);
    }
}

TEST_CASE("a transposed operand is packed where it is read from another coordinate on, at one coordinate, or "
          "clamped, as Halide's derivatives read it") {
    const auto make = [] {
        const ImageParam a = image("a", {96, 4, 40}), b = image("b", {90, 4, 67, 3});
        const Expr first = min(a.dim(0).min(), b.dim(0).min()),
                   end = max(a.dim(0).min() + a.dim(0).extent(), b.dim(0).min() + b.dim(0).extent());
        const RDom k(first, end - first, 0, 4);
        const auto inside = [](const Expr &index, const Halide::Internal::Dimension &of) {
            return max(min(of.min() + of.extent() - 1, index), of.min());
        };
        Func mm("mm"), out("out");
        mm(x, y) +=
            a(inside(k.x, a.dim(0)), k.y, y) * b(inside(k.x, b.dim(0)), k.y, x + 3, b.dim(3).min() + 1);
        out(x, y) = max(mm(x, y), 0.0f);
        estimate(out, {64, 40});
        return Program{{a, b}, {out}, {}};
    };
    const std::string schedule = check_same_values(make, {{{{96, 4, 40}, {90, 4, 67, 3}}, {{64, 40}}},
                                                          {{{90, 4, 41}, {97, 4, 68, 2}}, {{65, 41}}},
                                                          {{{3, 4, 5}, {1, 4, 10, 2}}, {{7, 5}}}});
    CHECK(occurrences(schedule, "Halide::Func b_pack") == 1);
}

TEST_CASE("a sum over several variables has its chunks along one of them, for each point of those outside "
          "it: the gradient of a convolution's weights") {
    // 3 x 3 windows of 64 x 40 pixels of 4 images: what one tile of weights reads does not stay in the second
    // level, and an image is more than a chunk.
    for (const bool read : {false, true}) {
        INFO(read);
        const auto make = [=] {
            const ImageParam in = image("in", {32, 66, 42, 4}), d = image("d", {32, 64, 40, 4});
            RDom r({{0, d.dim(1).extent()}, {0, d.dim(2).extent()}, {0, d.dim(3).extent()}});
            Var kx("kx"), ky("ky");
            Func weights("weights"), out("out");
            weights(x, y, kx, ky) += in(y, r.x + kx, r.y + ky, r.z) * d(x, r.x, r.y, r.z);
            out(x, y, kx, ky) = weights(x, y, kx, ky) * 0.5f;
            const Func result = read ? out : weights;
            estimate(result, {32, 32, 3, 3});
            return Program{{in, d}, {result}, {}};
        };
        const std::string schedule =
            check_same_values(make, {{{{32, 66, 42, 4}, {32, 64, 40, 4}}, {{32, 32, 3, 3}}},
                                     {{{33, 11, 9, 3}, {35, 9, 7, 3}}, {{35, 33, 3, 3}}},
                                     {{{5, 3, 3, 1}, {7, 1, 1, 1}}, {{7, 5, 3, 3}}}});
        CHECK(occurrences(schedule, ".rfactor({{") == 1);
    }
}

TEST_CASE("an operand that is packed once for all blocks of rows pays for itself in a block of few rows") {
    // Scores by dot products of rows, then something of each row of scores: v is turned once, before all
    // blocks.
    const auto make = [] {
        const ImageParam a = image("a", {48, 1024}), v = image("v", {48, 1024});
        RDom k(0, a.dim(0).extent()), r(0, v.dim(1).extent());
        Func scores("scores"), most("most"), out("out");
        scores(x, y) += a(k, y) * v(k, x);
        most(y) = scores(0, y);
        most(y) = max(most(y), scores(r, y));
        out(x, y) = scores(x, y) / (1.0f + abs(most(y)));
        estimate(out, {1024, 1024});
        return Program{{a, v}, {out}, {}};
    };
    const std::string schedule = check_same_values(make, {{{{64, 256}, {64, 256}}, {{256, 256}}},
                                                          {{{3, 5}, {3, 7}}, {{7, 5}}},
                                                          {{{65, 33}, {65, 130}}, {{130, 33}}}});
    CHECK(occurrences(schedule, ".in(scores") == 1);               // packed,
    CHECK(occurrences(schedule, "_write_tile.compute_at(") == 1);  // in a block
}

TEST_CASE("a batch of matmuls; a matrix times a vector, both ways; an outer product") {
    SUBCASE("batch") {
        const auto make = [] {
            const ImageParam a = image("a", {32, 24, 10}), b = image("b", {40, 32, 10});
            RDom k(0, 32);
            Func mm("mm"), out("out");
            mm(x, y, c) += a(k, y, c) * b(x, k, c);
            out(x, y, c) = mm(x, y, c) + 1;
            estimate(out, {40, 24, 10});
            return Program{{a, b}, {out}, {}};
        };
        check_same_values(make, {{{{32, 24, 10}, {40, 32, 10}}, {{40, 24, 10}}},
                                 {{{32, 24, 10}, {40, 32, 10}}, {{3, 5, 1}}}});
    }
    SUBCASE("matrix times vector") {
        const auto make = [] {
            const ImageParam a = image("a", {500, 300}), v = image("v", {500}), u = image("u", {300});
            RDom k(0, v.dim(0).extent()), l(0, u.dim(0).extent());
            Func right("right"), left("left"), r("r"), s("s");
            right(x) += a(k, x) * v(k);
            left(x) += a(x, l) * u(l);
            r(x) = right(x) + 1;
            s(x) = left(x) + 1;
            estimate(r, {300});
            estimate(s, {500});
            return Program{{a, v, u}, {r, s}, {}};
        };
        check_same_values(make,
                          {{{{500, 300}, {500}, {300}}, {{300}, {500}}}, {{{1, 3}, {1}, {3}}, {{3}, {1}}}});
    }
    SUBCASE("outer product, summed over a batch") {
        const auto make = [] {
            const ImageParam a = image("a", {100, 128}), b = image("b", {60, 128});
            RDom i(0, a.dim(1).extent());
            Func grad("grad"), step("step");
            grad(x, y) += a(x, i) * b(y, i);
            step(x, y) = 0.5f * grad(x, y);
            estimate(step, {100, 60});
            return Program{{a, b}, {step}, {}};
        };
        check_same_values(make, {{{{100, 128}, {60, 128}}, {{100, 60}}}, {{{3, 7}, {5, 7}}, {{3, 5}}}});
    }
}

TEST_CASE("the reader of a matmul: transposed, broadcast, padded, a part of it" *
          doctest::test_suite("slow")) {
    const auto program = [](const std::function<void(Func, Func)> &define, std::vector<int> extents) {
        return [=] {
            const ImageParam a = image("a", {64, 50}), b = image("b", {70, 64});
            RDom k(0, 64);
            Func mm("mm"), out("out");
            mm(x, y) += a(k, y) * b(x, k);
            define(mm, out);
            estimate(out, extents);
            return Program{{a, b}, {out}, {}};
        };
    };
    const auto sizes = [](std::vector<int> large, std::vector<int> small) {
        return std::vector<Sizes>{{{{64, 50}, {70, 64}}, {large}}, {{{64, 50}, {70, 64}}, {small}}};
    };
    check_same_values(program([](Func mm, Func out) { out(x, y) = mm(y, x) + 1; }, {50, 70}),
                      sizes({50, 70}, {3, 5}));
    check_same_values(program([](Func mm, Func out) { out(x, y, c) = mm(x, y) * c; }, {70, 50, 4}),
                      sizes({70, 50, 4}, {3, 5, 1}));
    check_same_values(program(
                          [](Func mm, Func out) {
                              out(x, y) =
                                  select(x < 70 && y < 50, mm(clamp(x, 0, 69), clamp(y, 0, 49)), 0.0f);
                          },
                          {80, 60}),
                      sizes({80, 60}, {3, 5}));
    check_same_values(
        program([](Func mm, Func out) { out(x, y) = mm(2 * x + 1, y) - mm(2 * x, y); }, {35, 50}),
        sizes({35, 50}, {3, 5}));
    check_same_values(program([](Func mm, Func out) { out(x, y) = mm(x, y) + mm(y, x); }, {50, 50}),
                      sizes({50, 50}, {3, 5}));
    check_same_values(program([](Func mm, Func out) { out(x, y) = mm(x, y) / mm(0, 0); }, {70, 50}),
                      sizes({70, 50}, {3, 5}));
}

TEST_CASE("two matmuls into one; one into two; a chain of three" * doctest::test_suite("slow")) {
    const auto make = [] {
        const ImageParam a = image("a", {48, 48}), b = image("b", {48, 48});
        RDom k(0, 48);
        Func p("p"), q("q"), both("both"), third("third"), left("left"), right("right");
        p(x, y) += a(k, y) * b(x, k);
        q(x, y) += b(k, y) * a(x, k);
        both(x, y) = p(x, y) * q(x, y);
        third(x, y) += both(k, y) * a(x, k);
        left(x, y) = third(x, y) + 1;
        right(x, y) = third(x, y) * p(x, y);
        estimate(left, {48, 48});
        estimate(right, {48, 48});
        return Program{{a, b}, {left, right}, {}};
    };
    check_same_values(
        make, {{{{48, 48}, {48, 48}}, {{48, 48}, {48, 48}}}, {{{48, 48}, {48, 48}}, {{3, 5}, {3, 5}}}});
}

TEST_CASE(
    "ranges that start elsewhere, outputs away from the origin, a constant matrix, a scalar parameter") {
    const auto make = [] {
        const ImageParam a = image("a", {100, 60});
        Buffer<float> table(40, 100);
        for (int i = 0; i < 100; i++) {
            for (int j = 0; j < 40; j++) {
                table(j, i) = static_cast<float>((i * 7 + j * 3) % 11) - 5;
            }
        }
        Param<float> factor("factor", 2.0f);
        factor.set_estimate(2.0f);
        RDom k(3, 90);
        Func mm("mm"), out("out");
        mm(x, y) = 1.0f;
        mm(x, y) += a(k, y) * table(x, k);
        out(x, y) = mm(x, y) * factor;
        estimate(out, {40, 60});
        return Program{{a}, {out}, {}};
    };
    check_same_values(
        make,
        {{{{100, 60}}, {{40, 60}}}, {{{100, 60}}, {{13, 7}}, {11, 20}}, {{{100, 60}}, {{1, 1}}, {39, 59}}});
}

TEST_CASE("a normalization of each row: mean, variance, scale") {
    const auto make = [] {
        const ImageParam in = image("in", {300, 40}), gain = image("gain", {300});
        RDom r(0, in.dim(0).extent());
        Func sum("sum"), squares("squares"), mean("mean"), scale("scale"), out("out");
        const Expr n = cast<float>(in.dim(0).extent());
        sum(y) += in(r, y);
        mean(y) = sum(y) / n;
        squares(y) += (in(r, y) - mean(y)) * (in(r, y) - mean(y));
        scale(y) = 1 / sqrt(squares(y) / n + 1e-3f);
        out(x, y) = (in(x, y) - mean(y)) * scale(y) * gain(x);
        estimate(out, {300, 40});
        return Program{{in, gain}, {out}, {}};
    };
    check_same_values(
        make, {{{{300, 40}, {300}}, {{300, 40}}}, {{{5, 3}, {5}}, {{5, 3}}}, {{{1, 1}, {1}}, {{1, 1}}}});
}

TEST_CASE("a sum of everything, pinned into blocks of what reads it") {
    const ImageParam in = image("in", {16, 100}, Int(32));
    RDom all(0, in.dim(0).extent(), 0, in.dim(1).extent());
    Func sum("sum"), out("out");
    sum() = 0;
    sum() += in(all.x, all.y);
    out(x, y) = in(x, y) + sum();
    estimate(out, {16, 100});
    eutectic::Parameters parameters;
    parameters.parallelism = 4;
    parameters.pin = "sum_in_blocks.json";
    std::ofstream(parameters.pin) << R"({"sum": {"at": ["out", "y"]}})";
    Pipeline pipeline(out);
    const Target target = get_jit_target_from_environment();
    const std::string schedule = eutectic::autoschedule(pipeline, target, parameters);
    std::remove(parameters.pin.c_str());
    INFO(schedule);
    CHECK(occurrences(schedule, "sum_lanes.compute_at(") == 1);
    for (const auto &[columns, rows] :
         std::vector<std::pair<int, int>>{{16, 100}, {37, 31}, {15, 3}, {1, 1}}) {
        Buffer<int> data(columns, rows);
        int total = 0, n = 0;
        data.for_each_value([&](int &v) { total += v = 7 * n++ % 101; });
        Parameter parameter = in.parameter();
        parameter.set_buffer(data);
        Buffer<int> got = pipeline.realize({columns, rows}, target);
        got.for_each_element([&](int i, int j) { CHECK(got(i, j) == data(i, j) + total); });
    }
}
