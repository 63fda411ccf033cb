// What a plan may not touch: what has effects, what other code computes, what the user decided. Each stays
// where it is, says why, and gives the serial program's values (and no call more or less); the rest is
// scheduled around it.

#include "boundaries.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "Halide.h"

#include "schedules/autoschedule.h"
#include "tests/schedules/jit_check.h"
#include "tests/support/pipelines.h"

using namespace Halide;
using namespace eutectic;
using namespace eutectic::test;

namespace {

Var x("x"), y("y");

std::vector<int> calls;

/** Twice its argument, and a note that it was asked. */
extern "C" int boundaries_noted(int i) {
    calls.push_back(i);
    return 2 * i;
}

/** Twice its argument, in any order and by any thread. */
extern "C" int boundaries_doubled(int i) {
    return 2 * i;
}

int extern_runs = 0;

/** Adds one to each element of a row. */
extern "C" int boundaries_add_one(halide_buffer_t *in, halide_buffer_t *out) {
    if (in->host == nullptr) {
        for (int d = 0; d < in->dimensions; d++) {
            in->dim[d].min = out->dim[d].min;
            in->dim[d].extent = out->dim[d].extent;
        }
        return 0;
    }
    extern_runs++;
    for (int i = 0; i < out->dim[0].extent; i++) {
        reinterpret_cast<float *>(out->host)[i] =
            reinterpret_cast<float *>(in->host)[i + out->dim[0].min - in->dim[0].min] + 1;
    }
    return 0;
}

}  // namespace

TEST_CASE("a call that may have effects: made once for each point, in order, whoever reads it") {
    const auto make = [](Internal::Call::CallType type) {
        const ImageParam in = image("in", {100}, Int(32));
        Func noted("noted"), left("left"), right("right"), both("both");
        noted(x) = Internal::Call::make(Int(32), "boundaries_noted", {in(x) + x}, type);
        left(x) = noted(x) + 1;
        right(x) = noted(x) * 2;
        both(x) = left(x) + right(x);
        estimate(both, {100});
        return Program{{in}, {both}, {{"boundaries_noted", JITExtern(boundaries_noted)}}};
    };
    CHECK(verdict(make(Internal::Call::Extern).outputs, "noted") ==
          "kept in memory: noted is not understood by any rule, because it calls boundaries_noted, which may "
          "have effects: one call for each of its points, in their order");
    CHECK(verdict(make(Internal::Call::Extern).outputs, "left") == "fused");
    CHECK(verdict(make(Internal::Call::PureExtern).outputs, "noted").find("effects") == std::string::npos);
    for (const int n : {100, 7, 1}) {
        calls.clear();
        check_same_values([&] { return make(Internal::Call::Extern); }, {{{{n}}, {{n}}}});
        // Once by the serial program, once by the scheduled one.
        REQUIRE(calls.size() == static_cast<size_t>(2 * n));
        CHECK(std::equal(calls.begin(), calls.begin() + n, calls.begin() + n));
    }
}

TEST_CASE("effects in an update, and in its coordinates") {
    const auto make = [] {
        const ImageParam in = image("in", {50}, Int(32));
        RDom r(0, 50);
        Func sum("sum"), spread("spread"), out("out");
        sum(x) = 0;
        sum(x) += Internal::Call::make(Int(32), "boundaries_noted", {in(r) + x}, Internal::Call::Extern);
        spread(x) = 0;
        spread(clamp(Internal::Call::make(Int(32), "boundaries_noted", {in(r)}, Internal::Call::Extern), 0,
                     99)) += 1;
        out(x) = sum(x) + spread(x);
        estimate(out, {10});
        return Program{{in}, {out}, {{"boundaries_noted", JITExtern(boundaries_noted)}}};
    };
    for (const char *name : {"sum", "spread"}) {
        CHECK(
            verdict(make().outputs, name).find("because it calls boundaries_noted, which may have effects") !=
            std::string::npos);
    }
    calls.clear();
    check_same_values(make, {{{{50}}, {{10}}}});
    REQUIRE(calls.size() == 2 * (500 + 50));
    CHECK(std::equal(calls.begin(), calls.begin() + 550, calls.begin() + 550));
}

TEST_CASE("an extern stage: run once, given a buffer, its bounds asked for") {
    const auto make = [] {
        const ImageParam in = image("in", {300});
        Func before("before"), shared("shared"), stage("stage"), left("left"), right("right");
        before(x) = in(x) * 2;
        shared(x) = before(x) + 1;
        stage.define_extern("boundaries_add_one", {shared}, Float(32), 1);
        left(x) = stage(x) + shared(x);
        right(x) = stage(x + 1) - 1;
        estimate(left, {300});
        estimate(right, {299});
        return Program{{in}, {left, right}, {{"boundaries_add_one", JITExtern(boundaries_add_one)}}};
    };
    CHECK(verdict(make().outputs, "stage") ==
          "kept in memory: stage is not understood by any rule, because it is an extern stage");
    CHECK(verdict(make().outputs, "shared") ==
          "kept in memory: stage is an extern stage, which takes shared as a buffer");
    CHECK(verdict(make().outputs, "before") == "fused");
    extern_runs = 0;
    check_same_values(make, {{{{300}}, {{300}, {299}}}, {{{3}}, {{3}, {2}}}});
    CHECK(extern_runs == 4);
}

TEST_CASE("a copy between a device and the host: whole buffers on both of its sides") {
    const auto make = [] {
        const ImageParam in = image("in", {200, 60});
        Func before("before"), computed("computed"), copied("copied"), out("out");
        before(x, y) = in(x, y) + 1;
        computed(x, y) = before(x, y) * 3;
        copied(x, y) = computed(x, y);
        out(x, y) = copied(x, y) + copied(x, max(y - 1, 0));
        estimate(out, {200, 60});
        copied.copy_to_host();
        return Program{{in}, {out}, {}};
    };
    CHECK(verdict(make().outputs, "copied") == "kept in memory: copied is not understood by any rule, "
                                               "because it copies between a device and the host");
    CHECK(verdict(make().outputs, "computed") ==
          "kept in memory: copied is an extern stage, which takes computed as a buffer");
    CHECK(verdict(make().outputs, "before") == "fused");
    check_same_values(make, chain_sizes);
}

TEST_CASE("random numbers are one number a point, for every reader") {
    Func noise("noise"), out("out");
    noise(x, y) = random_float(7);
    out(x, y) = Tuple(noise(x, y), noise(x, y) * 2, noise(x, max(y - 1, 0)));
    estimate(out, {128, 64});
    Pipeline pipeline(out);
    const Target target = get_jit_target_from_environment();
    autoschedule(pipeline, target, Parameters());
    const Realization r = pipeline.realize({128, 64}, target);
    const Buffer<float> a = r[0], twice = r[1], above = r[2];
    double sum = 0;
    bool same = true;
    for (int j = 0; j < 64; j++) {
        for (int i = 0; i < 128; i++) {
            same = same && twice(i, j) == 2 * a(i, j) && above(i, j) == a(i, std::max(j - 1, 0));
            sum += a(i, j);
        }
    }
    CHECK(same);
    CHECK(sum / (128 * 64) == doctest::Approx(0.5).epsilon(0.05));
}

TEST_CASE("a memoized Func is computed once for each key, as a whole") {
    const auto make = [] {
        const ImageParam in = image("in", {200, 60});
        Param<int> key("key", 3);
        Func table("table"), after("after"), out("out");
        table(x, y) = cast<float>(
            Internal::Call::make(Int(32), "boundaries_doubled", {x + key * y}, Internal::Call::PureExtern));
        table.memoize();
        after(x, y) = table(x, y) + in(x, y);
        out(x, y) = after(x, y) * 2;
        estimate(out, {200, 60});
        key.set_estimate(3);
        return Program{{in}, {out}, {{"boundaries_doubled", JITExtern(boundaries_doubled)}}};
    };
    CHECK(verdict(make().outputs, "table") ==
          "kept in memory: table is memoized: its values are looked up and kept as a whole");
    CHECK(verdict(make().outputs, "after") == "fused");
    check_same_values(make, chain_sizes);
}

namespace {

Program odd_even_transposition_sort() {
    const int n = 8;
    const ImageParam in = image("in", {n, 40});
    Func sorted("step0");
    sorted(x, y) = in(x, y) * -1.0f;
    for (int step = 0; step < n; step++) {
        Func next("step" + std::to_string(step + 1));
        const Expr first = (x + step) % 2 == 0;
        const Expr partner = clamp(select(first, x + 1, x - 1), 0, n - 1);
        next(x, y) = select(partner == x, sorted(x, y), first, min(sorted(x, y), sorted(partner, y)),
                            max(sorted(x, y), sorted(partner, y)));
        sorted = next;
    }
    Func out("out");
    out(x, y) = sorted(x, y) + 1;
    estimate(out, {n, 40});
    return Program{{in}, {out}, {}};
}

Program bitonic_sort() {
    const int n = 16;
    const ImageParam in = image("in", {n, 20});
    Func sorted("start"), out("out");
    sorted(x, y) = in(x, y) + 1;
    for (int size = 2; size <= n; size *= 2) {
        for (int stride = size / 2; stride > 0; stride /= 2) {
            RDom r(0, n / 2, 0, 2);
            const Expr low = (r.x / stride) * 2 * stride + r.x % stride, high = low + stride,
                       ascending = (low / size) % 2 == 0;
            Func next("sort" + std::to_string(size) + "_" + std::to_string(stride));
            next(x, y) = 0.0f;
            next(select(r.y == 0, low, high), y) =
                select((r.y == 0) == ascending, min(sorted(low, y), sorted(high, y)),
                       max(sorted(low, y), sorted(high, y)));
            sorted = next;
        }
    }
    out(x, y) = sorted(x, y) * 2;
    estimate(out, {n, 20});
    return Program{{in}, {out}, {}};
}

Program three_largest_by_insertion() {
    const ImageParam in = image("in", {100, 30});
    RDom r(0, in.dim(0).extent());
    Func scaled("scaled"), top("top"), out("out");
    scaled(x, y) = in(x, y) * 2;
    top(y) = Tuple(-10.0f, -10.0f, -10.0f);
    const Expr v = scaled(r, y), a = top(y)[0], b = top(y)[1], c = top(y)[2];
    top(y) = Tuple(max(a, v), max(min(a, v), b), max(min(b, v), c));
    out(x, y) = mux(x, {top(y)[0], top(y)[1], top(y)[2]});
    estimate(out, {3, 30});
    return Program{{in}, {out}, {}};
}

}  // namespace

TEST_CASE("sorts and selections written as updates run in blocks of rows, as what is around them does") {
    SUBCASE("odd-even transposition, a pure Func a step") {
        check_same_values(odd_even_transposition_sort, {{{{8, 40}}, {{8, 40}}}, {{{8, 3}}, {{8, 3}}}});
    }
    SUBCASE("bitonic, each step an update that writes where it reads from") {
        CHECK(verdict(bitonic_sort().outputs, "sort4_1") == "fused");
        check_same_values(bitonic_sort, {{{{16, 20}}, {{16, 20}}}, {{{16, 1}}, {{16, 1}}}});
    }
    SUBCASE("the three largest of a row, by insertion") {
        CHECK(verdict(three_largest_by_insertion().outputs, "top") == "fused");
        check_same_values(three_largest_by_insertion,
                          {{{{100, 30}}, {{3, 30}}}, {{{1, 1}}, {{3, 1}}}, {{{7, 3}}, {{3, 3}}}});
    }
}

TEST_CASE("a histogram and what is scattered by an index stay whole, and say so") {
    const auto make = [] {
        const ImageParam in = image("in", {300, 40}, UInt(8)), at = image("at", {5000000}, Int(32)),
                         rows = image("rows", {5000000});
        RDom all(0, in.dim(0).extent(), 0, in.dim(1).extent()), r(0, at.dim(0).extent());
        Func bins("bins"), table("table"), scaled("scaled"), out("out");
        bins(x) = 0;
        bins(cast<int>(in(all.x, all.y)) % 64) += 1;
        scaled(x) = rows(x) * 2;
        table(x) = 0.0f;
        table(clamp(at(r), 0, 63)) += scaled(r);
        out(x) = table(x) + cast<float>(bins(x));
        estimate(out, {64});
        return Program{{in, at, rows}, {out}, {}};
    };
    CHECK(verdict(make().outputs, "bins") == "kept in memory: bins is not understood by any rule, because it "
                                             "writes to computed coordinates (a scatter)");
    CHECK(verdict(make().outputs, "table") == "kept in memory: table is not understood by any rule, because "
                                              "it writes to computed coordinates (a scatter)");
    CHECK(verdict(make().outputs, "scaled") == "fused");
    check_same_values(make, {{{{300, 40}, {500}, {500}}, {{64}}}, {{{1, 1}, {1}, {1}}, {{64}}}});
}
