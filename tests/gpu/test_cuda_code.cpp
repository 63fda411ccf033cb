// What kernels for CUDA are as code: loads and stores of 128 bits where all that changes along a row may be
// read so, and functions by the device's own instructions under fast numerics.

#include <doctest/doctest.h>

#include <functional>

#include "fusion/plan/grade.h"
#include "schedules/autoschedule.h"
#include "schedules/gpu/device_code.h"
#include "tests/schedules/jit_run.h"
#include "tests/support/occurrences.h"
#include "tests/support/pipelines.h"

using namespace Halide;
using namespace eutectic;
using namespace eutectic::test;

namespace {

constexpr int columns = 4096, rows = 512;

Var x("x"), y("y");

struct Case {
    const char *name;
    std::function<Expr(const ImageParam &a, const ImageParam &b)> value;
    Type of_a = Float(32), of_b = Float(32);
};

Program program(const Case &c) {
    const ImageParam a = image("a", {columns, rows}, c.of_a), b = image("b", {columns, rows}, c.of_b);
    Func out("out");
    out(x, y) = c.value(a, b);
    estimate(out, {columns, rows});
    return {{a, b}, {out}, {}};
}

std::string ptx_of(const Program &p, const Target &target, const std::map<std::string, std::string> &extra,
                   Scheduled *scheduled = nullptr) {
    Pipeline pipeline(p.outputs);
    const Scheduled s = schedule(pipeline, target, parse_parameters(extra), true);
    if (scheduled) {
        *scheduled = s;
    }
    return device_code(pipeline, target).ptx;
}

const Target cuda("x86-64-linux-cuda-cuda_capability_80");

}  // namespace

TEST_CASE("loads and stores of 128 bits") {
    const auto both = [](const ImageParam &a, const ImageParam &b) { return a(x, y) * 2 + b(x, y); };
    const struct {
        Case c;
        int loads, stores;  // of 128 bits in the code, at least; 0: none
    } table[] = {
        {{"of two", both}, 2, 1},
        {{"one of a row's", [](const ImageParam &a, const ImageParam &b) { return a(x, y) + b(x, 0); }},
         2,
         1},
        {{"one of a column's", [](const ImageParam &a, const ImageParam &b) { return a(x, y) + b(0, y); }},
         1,
         1},
        {{"four further on",
          [](const ImageParam &a, const ImageParam &b) { return a(x + 4, y + 1) + b(x, y); }},
         2,
         1},
        {{"integers", both, Int(32), UInt(32)}, 2, 1},
        {{"one further on", [](const ImageParam &a, const ImageParam &b) { return a(x + 1, y) + b(x, y); }},
         0,
         0},
        {{"every second", [](const ImageParam &a, const ImageParam &b) { return a(2 * x, y) + b(x, y); }},
         0,
         0},
        {{"turned", [](const ImageParam &a, const ImageParam &b) { return a(y, x) + b(x, y); }}, 0, 0},
        {{"backwards",
          [](const ImageParam &a, const ImageParam &b) { return a(columns - 1 - x, y) + b(x, y); }},
         0,
         0},
        {{"clamped", [](const ImageParam &a, const ImageParam &b) { return a(min(x, 99), y) + b(x, y); }},
         0,
         0},
        {{"of bytes", both, UInt(8), UInt(8)}, 0, 0},
        {{"of doubles", both, Float(64), Float(64)}, 0, 0},
    };
    for (const auto &row : table) {
        INFO(row.c.name);
        Scheduled s;
        const std::string code = ptx_of(program(row.c), cuda, {}, &s);
        INFO(s.source);
        CHECK((occurrences(code, "ld.global.nc.v4.b32") >= row.loads));
        CHECK((occurrences(code, "st.global.v4.b32") >= row.stores));
        CHECK((s.source.find("on_device_at_multiple") == std::string::npos) == (row.loads == 0));
        if (row.loads == 0) {
            CHECK(occurrences(code, ".v4.b32") == 0);
        }
    }
}

TEST_CASE("each value of a Tuple is stored so, where all buffers allow it") {
    const ImageParam a = image("a", {columns, rows}), b = image("b", {columns, rows});
    Func out("out");
    out(x, y) = Tuple(a(x, y) + b(x, y), a(x, y) * b(x, y), cast<int>(a(x, y)));
    estimate(out, {columns, rows});
    Scheduled s;
    const std::string code = ptx_of({{a, b}, {out}, {}}, cuda, {}, &s);
    INFO(s.source);
    CHECK((occurrences(code, "ld.global.nc.v4.b32") >= 2));
    CHECK((occurrences(code, "st.global.v4.b32") >= 3));
    CHECK(s.source.find("eutectic::rows_at_multiples(out, 1, 4)") != std::string::npos);
    Func mixed("mixed");
    mixed(x, y) = Tuple(a(x, y), cast<double>(b(x, y)));
    estimate(mixed, {columns, rows});
    CHECK(occurrences(ptx_of({{a, b}, {mixed}, {}}, cuda, {}), ".v4.b32") == 0);
}

TEST_CASE("functions by the device's instructions, under fast numerics alone") {
    const Case c{"", [](const ImageParam &a, const ImageParam &b) {
                     return tanh(a(x, y)) + log(b(x, y)) / a(x, y) + b(x, y) / 3;
                 }};
    Scheduled s;
    const std::string code = ptx_of(program(c), cuda, {}, &s);
    for (const char *instruction : {"ex2.approx.ftz", "lg2.approx.ftz", "rcp.approx.ftz", "div.full.ftz"}) {
        INFO(std::string(instruction));
        CHECK(occurrences(code, instruction) > 0);
    }
    CHECK(s.source.find("eutectic::approximate_functions(pipeline);") != std::string::npos);
    CHECK(grade(s.graph, s.planned.plan) == Grade::approximate);
    REQUIRE(s.graph.changed.size() == 1);
    CHECK(s.graph.changed[0] == "division, log_f32, tanh_f32 are approximate, by the device's own "
                                "instructions: exponentials within (2 "
                                "+ |x|) 2^-22 of themselves, quotients within 2 units in the last place "
                                "(disable=approximate_functions leaves them)");
    const Target strict = cuda.with_feature(Target::StrictFloat);
    for (const std::string &without :
         {ptx_of(program(c), cuda, {{"disable", "approximate_functions"}}), ptx_of(program(c), strict, {}),
          ptx_of(program(c), strict, {{"numerics", "nan_safe"}})}) {
        CHECK(occurrences(without, "div.full") == 0);
        CHECK(occurrences(without, "lg2.approx") == 0);
    }
}
