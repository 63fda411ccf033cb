// Tails of vectors whose loads lie apart or are computed: shifted inwards in a version for a vector or more,
// at Root, in chunks of rows and in blocks; right at every size, and never where a caller may compute in
// place.

#include <doctest/doctest.h>

#include "Halide.h"

#include "schedules/autoschedule.h"
#include "tests/schedules/jit_check.h"
#include "tests/support/pipelines.h"

using namespace Halide;
using namespace eutectic::test;

namespace {

const Var x("x"), y("y"), c("c");

bool has(const std::string &text, const std::string &words) {
    return text.find(words) != std::string::npos;
}

/** A raw image taken apart by colours, which a demosaicking Func reads at half the rate. `twice`: once more,
 * so that something at a quarter of the rate is in memory too. */
Program raw(bool twice) {
    const ImageParam in = image("in", {2600, 1968}, UInt(16));
    const auto apart = [](const Func &f, const std::string &name) {
        Func planes(name);
        planes(x, y, c) = mux(c, {f(2 * x, 2 * y), f(2 * x + 1, 2 * y), f(2 * x, 2 * y + 1)});
        return planes;
    };
    const auto around = [](const Func &p, const std::string &name) {
        Func f(name);
        Expr sum = p(x / 2, y / 2, 0);
        for (int i = 1; i < 9; i++) {
            sum += p(x / 2 + i % 3, y / 2 + i / 3, i % 3) * cast<uint16_t>(i);
        }
        f(x, y) = sum;
        return f;
    };
    Func hot("hot");
    hot(x, y) = min(in(x, y), max(in(x + 2, y), in(x, y + 2)));
    Func result = around(apart(hot, "planes"), "demosaicked");
    if (twice) {
        result = around(apart(result, "half"), "upsampled");
    }
    estimate(result, twice ? eutectic::Table<eutectic::DimId, int>{2560, 1920}
                           : eutectic::Table<eutectic::DimId, int>{2592, 1960});
    return {{in}, {result}, {}};
}

std::vector<Sizes> of_raw(int more) {
    std::vector<Sizes> sizes;
    for (const int columns : {1, 7, 31, 32, 63, 64, 65, 66, 129, 1300}) {
        const int rows = columns % 5 + 1;
        sizes.push_back({{{columns + more, rows + more}}, {{columns, rows}}});
    }
    sizes.push_back({{{90, 60}}, {{71, 9}}, {5, 3}});
    return sizes;
}

/** Rows of a blur of what a table of 256 makes of an image, in 8 bits. */
Program table_in_block() {
    const ImageParam in = image("in", {8200, 8200}, UInt(8)), table = image("table", {256}, UInt(8));
    Func looked_up("looked_up"), blurred("blurred");
    const Expr from = cast<uint16_t>(in(x, y)), to = cast<uint16_t>(table(in(x, y)));
    looked_up(x, y) = cast<uint8_t>((from * from + 3 * to * to + min(from, to) * max(to, 7)) / 16);
    Expr sum = cast<uint16_t>(0);
    for (int i = 0; i < 9; i++) {
        sum += cast<uint16_t>(looked_up(x + i % 3, y + i / 3));
    }
    blurred(x, y) = cast<uint8_t>(sum / 9);
    estimate(blurred, {8190, 8190});
    return {{in, table}, {blurred}, {}};
}

}  // namespace

TEST_CASE("every second column of an image, in memory at half of the rate and at a quarter") {
    const std::string once = check_same_values([] { return raw(false); }, of_raw(8));
    INFO(once);
    CHECK(has(once, ".extent() >= 64"));  // half of which is a vector of 32
    check_same_values([] { return raw(true); }, of_raw(40));
}

TEST_CASE("a table in blocks of rows") {
    std::vector<Sizes> sizes;
    for (const int columns : {1, 15, 16, 17, 63, 64, 65, 66, 130, 701}) {
        sizes.push_back({{{columns + 2, 7}, {256}}, {{columns, 5}}});
    }
    sizes.push_back({{{80, 80}, {256}}, {{66, 70}}, {9, 4}});
    const std::string plan = check_same_values(table_in_block, sizes);
    INFO(plan);
    CHECK(has(plan, "looked_up_whole.vectorize("));
}

TEST_CASE("what may be computed in place is computed once") {
    ImageParam in = image("in", {1000, 64}, Int(32)), at = image("at", {1000, 64}, Int(32)),
               table = image("table", {100}, Int(32));
    Func sum("sum");
    sum(x, y) = in(x, y) + table(clamp(at(x, y), 0, 99));
    estimate(sum, {1000, 64});
    Pipeline pipeline(sum);
    eutectic::Parameters parameters;
    parameters.parallelism = 2;
    const Target target = get_jit_target_from_environment();
    const std::string plan = eutectic::autoschedule(pipeline, target, parameters);
    INFO(plan);
    for (const int columns : {3, 16, 37, 1000}) {
        Buffer<int32_t> own(columns, 64), places(columns, 64), steps(100);
        own.for_each_element([&](int i, int j) {
            own(i, j) = i;
            places(i, j) = (i + j) % 100;
        });
        steps.fill(1000);
        in.set(own);
        at.set(places);
        table.set(steps);
        pipeline.realize(own, target);
        int wrong = 0;
        own.for_each_element([&](int i, int j) { wrong += own(i, j) != i + 1000; });
        CHECK(wrong == 0);
    }
}

TEST_CASE("sums whose number no size tells are in registers, not on the heap") {
    const auto thirds = [] {
        const ImageParam in = image("in", {400, 540}), weights = image("weights", {12});
        Func sum("sum"), out("out");
        const RDom r(0, weights.dim(0).extent());
        sum(x, y) += in(x, y + r) * weights(r);
        out(x, y) = sum(x / 3, y) + sum(x / 3 + 1, y + 1) * sum(x / 3, y + 2);
        estimate(out, {1024, 512});
        return Program{{in, weights}, {out}, {}};
    };
    std::vector<Sizes> sizes;
    for (const int columns : {1, 2, 7, 20, 24, 25, 46, 100}) {
        sizes.push_back({{{columns / 3 + 2, 20}, {12}}, {{columns, 6}}});
    }
    sizes.push_back({{{30, 30}, {5}}, {{31, 9}}, {6, 3}});
    const std::string text = check_same_values(thirds, sizes);
    INFO(text);
    CHECK(has(text, "bound_storage"));
}
