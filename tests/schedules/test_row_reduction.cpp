// Sums along contiguous memory, in lanes: one at a time, and in tiles of several sums that share what they
// load.

#include <doctest/doctest.h>

#include <cstdio>
#include <fstream>
#include <iterator>

#include "Halide.h"

#include "schedules/autoschedule.h"
#include "tests/schedules/jit_check.h"
#include "tests/support/occurrences.h"
#include "tests/support/pipelines.h"

using namespace Halide;
using namespace eutectic::test;

namespace {

Var x("x"), y("y"), z("z");

/** Are several sums in lanes at once? */
bool has_tiles(const std::string &schedule) {
    return occurrences(schedule, "_lanes.update(0).unroll(") > 0 &&
           (occurrences(schedule, "_write_tile_whole.unroll(") > 0 ||
            occurrences(schedule, "_whole.unroll(") > 0);
}

/** Rows of `a` times rows of `b`. */
Program rows_times_rows(Type type, bool read, int start) {
    const ImageParam a = image("a", {1024, 8}, type), b = image("b", {1024, 96}, type);
    RDom k(0, a.dim(0).extent(), "k");
    Func mm("mm"), out("out");
    mm(x, y) = cast(type, start);
    mm(x, y) += a(k, y) * b(k, x);
    out(x, y) = max(mm(x, y) + cast(type, 1), cast(type, 3));
    const Func result = read ? out : mm;
    estimate(result, {96, 8});
    return {{a, b}, {result}, {}};
}

const std::vector<Sizes> sizes_of_rows = {
    {{{1024, 8}, {1024, 96}}, {{96, 8}}}, {{{500, 7}, {500, 97}}, {{97, 7}}},
    {{{257, 10}, {257, 20}}, {{20, 10}}}, {{{1039, 9}, {1039, 3}}, {{3, 9}}},
    {{{13, 3}, {13, 5}}, {{5, 3}}},       {{{1, 1}, {1, 1}}, {{1, 1}}}};

}  // namespace

TEST_CASE(
    "products of few rows with transposed ones are tiles of sums in lanes, of several types, alone and with "
    "what reads them") {
    for (const Type type : {Float(32), Float(64), Int(32)}) {
        for (const bool read : {false, true}) {
            INFO(type, read);
            const std::string schedule =
                check_same_values([=] { return rows_times_rows(type, read, read ? 0 : 2); }, sizes_of_rows);
            CHECK(has_tiles(schedule));
        }
    }
}

TEST_CASE("largest differences of rows, over two variables, of each of several planes") {
    const auto make = [] {
        const ImageParam a = image("a", {300, 2, 6, 3}), b = image("b", {300, 2, 40});
        RDom k(0, a.dim(0).extent(), 0, a.dim(1).extent(), "k");
        Func f("f"), out("out");
        f(x, y, z) = 0.25f;
        f(x, y, z) = max(f(x, y, z), abs(a(k.x, k.y, y, z) - b(k.x, k.y, x)));
        out(x, y, z) = f(x, y, z) * 0.5f;
        estimate(out, {40, 6, 3});
        return Program{{a, b}, {out}, {}};
    };
    const std::string schedule = check_same_values(make, {{{{300, 2, 6, 3}, {300, 2, 40}}, {{40, 6, 3}}},
                                                          {{{257, 3, 7, 2}, {257, 3, 41}}, {{41, 7, 2}}},
                                                          {{{64, 1, 9, 2}, {64, 1, 11}}, {{11, 9, 2}}},
                                                          {{{5, 1, 1, 1}, {5, 1, 3}}, {{3, 1, 1}}}});
    CHECK(occurrences(schedule, "_lanes.update(0).vectorize(") > 0);
}

TEST_CASE("no lanes are summed up by atomic operations") {
    for (const bool read : {false, true}) {
        INFO(read);
        Program program = rows_times_rows(Float(32), read, 0);
        Pipeline pipeline(program.outputs);
        const Target target("x86-64-linux-sse41-avx-f16c-fma-avx2");
        eutectic::Parameters parameters;
        parameters.parallelism = 4;
        const std::string schedule = eutectic::autoschedule(pipeline, target, parameters);
        INFO(schedule);
        CHECK(occurrences(schedule, ".parallel(") > 0);
        const std::string path = "no_atomics_" + std::to_string(read) + ".stmt";
        pipeline.compile_to_lowered_stmt(path, pipeline.infer_arguments(), Halide::Text, target);
        std::ifstream file(path);
        const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
        std::remove(path.c_str());
        CHECK(occurrences(text, "vector_reduce") > 0);
        CHECK(occurrences(text, "atomic (") == 0);
    }
}
