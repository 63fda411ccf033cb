// Loops around clamped indices: only those from vector to vector are cut, their tails are shifted, and all of
// it is right at every size, smaller than a vector too. By default behind each condition one stencil or two;
// both with EUTECTIC_ALL_CASES set.

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>

#include "Halide.h"

#include "schedules/autoschedule.h"
#include "tests/schedules/jit_check.h"
#include "tests/support/all_cases.h"
#include "tests/support/occurrences.h"
#include "tests/support/pipelines.h"

using namespace Halide;
using namespace eutectic::test;

namespace {

using Boundary = std::function<Func(const ImageParam &)>;

Func square_of_taps(const Func &f, int size, const std::string &name) {
    const Var x("x"), y("y");
    Expr sum = cast(f.type(), 0);
    for (int i = 0; i < size * size; i++) {
        sum += f(x + i % size - size / 2, y + i / size - size / 2) * cast(f.type(), i + 1);
    }
    Func stencil(name);
    stencil(x, y) = sum;
    return stencil;
}

/** `stages` stencils, one after the other, of an image behind a boundary condition. */
Program stencils(const Boundary &boundary, int stages, Type type) {
    const ImageParam in = image("in", {1536, 1024}, type);
    Func last = boundary(in);
    for (int s = 0; s < stages; s++) {
        last = square_of_taps(last, 3, "stencil" + std::to_string(s));
    }
    estimate(last, {1536, 1024});
    return {{in}, {last}, {}};
}

const std::vector<std::pair<const char *, Boundary>> &boundaries() {
    static const std::vector<std::pair<const char *, Boundary>> all = {
        {"repeat_edge", [](const ImageParam &in) { return BoundaryConditions::repeat_edge(in); }},
        {"mirror_interior", [](const ImageParam &in) { return BoundaryConditions::mirror_interior(in); }},
        {"constant_exterior",
         [](const ImageParam &in) { return BoundaryConditions::constant_exterior(in, cast(in.type(), 7)); }},
        {"clamped columns", [](const ImageParam &in) {
             const Var x("x"), y("y");
             Func clamped("clamped");
             clamped(x, y) = in(clamp(x, 0, in.dim(0).extent() - 1), clamp(y, 0, in.dim(1).extent() - 1));
             return clamped;
         }}};
    return all;
}

std::vector<Sizes> around_a_vector() {
    std::vector<Sizes> sizes;
    for (const int columns : {1, 15, 16, 33, 130}) {
        for (const int rows : {1, 70}) {
            sizes.push_back({{{columns, rows}}, {{columns, rows}}});
        }
    }
    sizes.push_back({{{40, 9}}, {{75, 20}}, {-11, -4}});  // most of it lies beyond the image
    return sizes;
}

}  // namespace

TEST_CASE("stencils behind boundary conditions are right at every size") {
    int number = 0;
    for (const auto &[name, boundary] : boundaries()) {
        INFO(name);
        const int some = 2 - number++ % 2;  // one stage is looked at below, too
        for (const int stages : {1, 2}) {
            if (stages != some && !all_cases()) {
                continue;
            }
            INFO(stages);
            check_same_values([&, &boundary = boundary] { return stencils(boundary, stages, UInt(16)); },
                              around_a_vector());
        }
        check_same_values([&, &boundary = boundary] { return stencils(boundary, 1, Float(32)); },
                          around_a_vector(), 1);
    }
}

TEST_CASE("what is clamped at one end alone is not read beyond the other") {
    const auto make = [] {
        const ImageParam in = image("in", {1536, 1024});
        const Var x("x"), y("y");
        Func first("first"), second("second");
        const auto right_of = [&](int i) { return in(min(x + i, in.dim(0).extent() - 1), y); };
        first(x, y) = right_of(1) * 2 + right_of(2) * 3 + right_of(3);
        Expr sum = 0.f;
        for (int i = 0; i < 15; i++) {
            sum += first(x + i % 5, y + i / 5) * static_cast<float>(i + 1);
        }
        second(x, y) = sum;
        estimate(second, {1536, 1022});
        return Program{{in}, {second}, {}};
    };
    std::vector<Sizes> sizes;
    for (const int columns : {2, 3, 16, 40}) {
        sizes.push_back({{{columns, 9}}, {{columns, 7}}});
    }
    check_same_values(make, sizes);
}

TEST_CASE(
    "what an image behind a clamp is read by is cut into vectors with and without gathers, and in no other "
    "way") {
    const std::vector<Sizes> one = {{{{70, 9}}, {{70, 9}}}};
    const auto has = [](const std::string &text, const std::string &words) {
        return text.find(words) != std::string::npos;
    };
    const std::string output = check_same_values(
        [] {
            const ImageParam in = image("in", {1536, 1024});
            const Func edge = BoundaryConditions::repeat_edge(in);
            Func f("f");
            Var x("x"), y("y");
            f(x, y) = edge(x - 1, y) + edge(x, y) * 2 + edge(x + 1, y);
            estimate(f, {1536, 1024});
            return Program{{in}, {f}, {}};
        },
        one);
    INFO(output);
    // In the version for a vector or more the tail is shifted, in the other nothing is a vector.
    CHECK(has(output, "never_partition(v_y_o, v_y_i)"));
    CHECK(has(output, "_whole.vectorize("));
    CHECK(output.find(".vectorize(") == output.rfind(".vectorize("));
    // Vectors of what nothing clamps stay as they were.
    const std::string plain = check_same_values(
        [] {
            const ImageParam in = image("in", {1536, 1024});
            Func f("f");
            const Var x("x"), y("y");
            f(x, y) = in(x, y) * 2;
            estimate(f, {1536, 1024});
            return Program{{in}, {f}, {}};
        },
        one);
    // (A task ends inside its loop over rows, which is cut there.)
    const size_t uncut = plain.find("never_partition(");
    REQUIRE(uncut != std::string::npos);
    CHECK(plain.substr(uncut, plain.find(')', uncut) - uncut) == "never_partition(v_y_o");
    CHECK(uncut == plain.rfind("never_partition("));
    CHECK_FALSE(has(plain, "_whole"));
}

TEST_CASE("a clamp that is written out is cut as a boundary condition is") {
    const auto code = [](bool written_out) {
        const ImageParam in(Float(32), 2, "in_of_clamps" + std::to_string(written_out));
        const Var x("x"), y("y");
        Func edge("edge"), f("f");
        edge(x, y) = in(clamp(x, 0, in.dim(0).extent() - 1), clamp(y, 0, in.dim(1).extent() - 1));
        const Func read = written_out ? edge : BoundaryConditions::repeat_edge(in);
        f(x, y) = read(x - 1, y) + read(x, y) * 2 + read(x + 1, y);
        in.dim(0).set_estimate(0, 1536);
        in.dim(1).set_estimate(0, 1024);
        estimate(f, {1536, 1024});
        Pipeline pipeline(f);
        const Target target("x86-64-linux-sse41-avx-f16c-fma-avx2");
        const std::string schedule = eutectic::autoschedule(pipeline, target, {});
        CHECK(occurrences(schedule, "eutectic::mark_likely_clamps(edge)") == (written_out ? 1 : 0));
        const std::string path = "clamps_" + std::to_string(written_out) + ".stmt";
        pipeline.compile_to_lowered_stmt(path, pipeline.infer_arguments(), Halide::Text, target);
        std::ifstream file(path);
        const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
        std::remove(path.c_str());
        return std::pair(occurrences(text, "for ("), occurrences(text, "parallel ("));
    };
    const auto [loops, tasks] = code(true);
    CHECK(loops > 4);  // before, between and after the two ends, in two versions
    CHECK(code(false) == std::pair(loops, tasks));
}
