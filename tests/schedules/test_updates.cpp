// Updates of every kind have vectors and tasks along the dims that they write at their own coordinates, and
// the values of the loops as they are defined.

#include <doctest/doctest.h>

#include "Halide.h"

#include "report/report.h"
#include "schedules/autoschedule.h"
#include "tests/schedules/jit_check.h"
#include "tests/support/pipelines.h"

using namespace Halide;
using namespace eutectic;
using namespace eutectic::test;

namespace {

Var x("x"), y("y"), c("c");

/** How often `source` calls `directive`. */
int count(const std::string &source, const std::string &directive) {
    int n = 0;
    for (size_t at = source.find(directive); at != std::string::npos; at = source.find(directive, at + 1)) {
        n++;
    }
    return n;
}

/** Of an image of float32 and an output of the same size. */
std::vector<Sizes> sizes_of_image() {
    return {{{{1024, 768}}, {{1024, 768}}},
            {{{37, 23}}, {{37, 23}}},
            {{{9, 200}}, {{9, 200}}},
            {{{3, 3}}, {{3, 3}}}};
}

}  // namespace

TEST_CASE("scans go from row to row, a vector of columns at a time, in tasks") {
    for (const bool both_ways : {false, true}) {
        const auto make = [=] {
            const ImageParam in = image("in", {1024, 768});
            const Expr rows = in.dim(1).extent();
            Func f("f");
            f(x, y) = in(x, y);
            const RDom down(1, max(rows - 1, 0), "down");
            f(x, down) = 0.5f * f(x, down - 1) + f(x, down);
            if (both_ways) {
                const Expr up = rows - 1 - down;
                f(x, up) = 0.5f * f(x, up + 1) + f(x, up);
            }
            estimate(f, {1024, 768});
            return Program{{in}, {f}, {}};
        };
        const std::string source = check_same_values(make, sizes_of_image());
        INFO(source);
        CHECK(count(source, "update(0).vectorize(") + count(source, "update(0).parallel(") == 2);
        CHECK(count(source, "update(1).vectorize(") + count(source, "update(1).parallel(") ==
              (both_ways ? 2 : 0));
    }
}

TEST_CASE("scans along rows and columns of one Func keep their order, the first in tasks of rows") {
    const auto make = [] {
        const ImageParam in = image("in", {1024, 768});
        const RDom r(2, max(in.dim(0).extent() - 2, 0), "r"), s(1, max(in.dim(1).extent() - 1, 0), "s");
        Func f("f");
        f(x, y) = in(x, y);
        f(r, y) = f(r, y) + 0.5f * f(r - 1, y) - 0.25f * f(r - 2, y);
        f(x, s) = f(x, s) + 0.5f * f(x, s - 1);
        estimate(f, {1024, 768});
        return Program{{in}, {f}, {}};
    };
    const std::string source = check_same_values(make, sizes_of_image());
    INFO(source);
    CHECK(count(source, "update(0).parallel(") == 1);
    CHECK(count(source, "update(0).vectorize(") == 0);
    CHECK(count(source, "update(1).vectorize(") + count(source, "update(1).parallel(") == 2);
}

TEST_CASE("a Tuple over layers, where a layer is there") {
    const auto make = [] {
        const ImageParam layers = image("layers", {1024, 768, 5}), alpha = image("alpha", {1024, 768, 5}),
                         depth = image("depth", {5});
        Func f("f");
        f(x, y) = Tuple(0.0f, 1.0f, cast<int>(-1));
        RDom r(0, 5, "r");
        r.where(depth(r) > -0.5f);
        const Expr seen = alpha(x, y, r) * f(x, y)[1];
        f(x, y) =
            Tuple(f(x, y)[0] + seen * layers(x, y, r), f(x, y)[1] - seen, select(seen > 0.1f, r, f(x, y)[2]));
        Func out("out");
        out(x, y) = f(x, y)[0] + f(x, y)[1] * cast<float>(f(x, y)[2]);
        estimate(out, {1024, 768});
        return Program{{layers, alpha, depth}, {out}, {}};
    };
    const std::string source =
        check_same_values(make, {{{{1024, 768, 5}, {1024, 768, 5}, {5}}, {{1024, 768}}},
                                 {{{37, 23, 5}, {37, 23, 5}, {5}}, {{37, 23}}},
                                 {{{1, 1, 5}, {1, 1, 5}, {5}}, {{1, 1}}}});
    INFO(source);
    CHECK(count(source, "update(0).vectorize(") == 1);
    CHECK(count(source, ".compute_at(") == 1);  // in rows of what reads it, which are tasks
    CHECK(count(source, "out.parallel(") == 1);
}

TEST_CASE("what an update keeps of its terms stays in registers where its reader writes") {
    // Layers over each other, of which each colour is divided by the same sum.
    const auto make = [] {
        const ImageParam layers = image("layers", {1024, 768, 4, 6}, UInt(8)),
                         shown = image("shown", {6}, UInt(8));
        RDom r(0, 6, "r");
        r.where(shown(r) > 50);
        Func over("over"), out("out");
        const Expr alpha = cast<float>(layers(x, y, 3, r)) / 255.0f;
        over(x, y, c) = Tuple(0.0f, 0.0f);
        over(x, y, c) = Tuple(over(x, y, c)[0] * (1.0f - alpha) + cast<float>(layers(x, y, c, r)) * alpha,
                              over(x, y, c)[1] * (1.0f - alpha) + alpha);
        out(x, y, c) = over(x, y, c)[0] / max(over(x, y, c)[1], 0.125f);
        estimate(out, {1024, 768, 3});
        return Program{{layers, shown}, {out}, {}};
    };
    std::vector<Sizes> sizes;
    for (const auto &[w, h] : std::vector<std::pair<int, int>>{{1024, 768}, {37, 23}, {64, 1}, {1, 5}}) {
        for (const int colours : {3, 2, 4}) {
            sizes.push_back({{{w, h, 4, 6}, {6}}, {{w, h, colours}}});
        }
    }
    const std::string source = check_same_values(make, sizes);
    INFO(source);
    CHECK(count(source, "over.compute_at(") == 1);
    CHECK(count(source, "over.update(0).unroll(v_c_u0_i)") == 1);  // colours share what alpha is
}

TEST_CASE("dynamic programming over anti-diagonals keeps its order, and a report says that it is serial") {
    // The cheapest way to each point, from its left, from above and from both; a diagonal after the other.
    const auto make = [] {
        const ImageParam in = image("in", {256, 192}, Int(32));
        const Expr w = in.dim(0).extent(), h = in.dim(1).extent();
        RDom r(2, max(w + h - 3, 0), 1, max(h - 1, 0), "r");
        r.where(r.x - r.y >= 1 && r.x - r.y < w);
        const Expr column = clamp(r.x - r.y, 1, max(w - 1, 1));
        Func cheapest("cheapest");
        cheapest(x, y) = in(x, y);
        cheapest(column, r.y) =
            in(min(column, w - 1), r.y) +
            min(cheapest(column - 1, r.y - 1), min(cheapest(column - 1, r.y), cheapest(column, r.y - 1)));
        estimate(cheapest, {256, 192});
        return Program{{in}, {cheapest}, {}};
    };
    const std::string source = check_same_values(
        make, {{{{256, 192}}, {{256, 192}}}, {{{37, 23}}, {{37, 23}}}, {{{2, 40}}, {{2, 40}}}});
    INFO(source);
    CHECK(count(source, "update(0).vectorize(") + count(source, "update(0).parallel(") == 0);
    const Program program = make();
    Parameters parameters;
    parameters.parallelism = 4;
    const Scheduled scheduled = schedule(Pipeline(program.outputs), get_host_target(), parameters, false);
    const std::string told = to_text(scheduled.report());
    INFO(told);
    CHECK(told.find(" runs on one core, as it is defined, for ") != std::string::npos);
}

TEST_CASE("what a condition reads is read point by point: nothing beyond the end") {
    for (const bool of_columns : {false, true}) {
        const auto make = [=] {
            const ImageParam in = image("in", {1024, 768}), mask = image("mask", {1024, 768});
            Func f("f"), out("out");
            f(x, y) = Tuple(in(x, y), 0);
            RDom r(0, 3, "r");
            r.where(mask(of_columns ? x : min(r, in.dim(0).extent() - 1), y) > 0.25f);
            f(x, y) = Tuple(f(x, y)[0] * 0.5f + in(x, y), f(x, y)[1] + r);
            out(x, y) = f(x, y)[0] + cast<float>(f(x, y)[1]);
            estimate(out, {1024, 768});
            return Program{{in, mask}, {out}, {}};
        };
        const std::string source = check_same_values(make, {{{{1024, 768}, {1024, 768}}, {{1024, 768}}},
                                                            {{{67, 7}, {67, 7}}, {{67, 7}}},
                                                            {{{1, 1}, {1, 1}}, {{1, 1}}}});
        INFO(source);
        CHECK(count(source, "update(0).vectorize(") == (of_columns ? 0 : 1));
    }
}

TEST_CASE("a complex product, and the place of the largest of each column") {
    const auto product = [] {
        const ImageParam a = image("a", {96, 64, 2}), b = image("b", {128, 96, 2});
        const RDom k(0, a.dim(0).extent(), "k");
        Func f("f");
        f(x, y) = Tuple(0.0f, 0.0f);
        const Expr re = a(k, y, 0), im = a(k, y, 1);
        f(x, y) = Tuple(f(x, y)[0] + re * b(x, k, 0) - im * b(x, k, 1),
                        f(x, y)[1] + re * b(x, k, 1) + im * b(x, k, 0));
        Func out("out");
        out(x, y) = f(x, y)[0] + 2 * f(x, y)[1];
        estimate(out, {128, 64});
        return Program{{a, b}, {out}, {}};
    };
    const std::string of_product = check_same_values(
        product, {{{{96, 64, 2}, {128, 96, 2}}, {{128, 64}}}, {{{5, 7, 2}, {19, 5, 2}}, {{19, 7}}}});
    CHECK(count(of_product, "update(0).vectorize(") == 1);
    CHECK(count(of_product, ".compute_at(") == 1);
    CHECK(count(of_product, "out.parallel(") == 1);
    const auto largest = [] {
        const ImageParam in = image("in", {1024, 768});
        const RDom r(0, in.dim(1).extent(), "r");
        Func f("f");
        f(x) = Tuple(in(x, 0), 0);
        f(x) = Tuple(max(f(x)[0], in(x, r)), select(in(x, r) > f(x)[0], r, f(x)[1]));
        Func out("out");
        out(x) = f(x)[0] + cast<float>(f(x)[1]);
        estimate(out, {1024});
        return Program{{in}, {out}, {}};
    };
    const std::string of_largest =
        check_same_values(largest, {{{{1024, 768}}, {{1024}}}, {{{37, 23}}, {{37}}}, {{{1, 1}}, {{1}}}});
    CHECK(count(of_largest, "update(0).vectorize(") == 1);
}

TEST_CASE("updates of the edges of an image, of a histogram for each row, and of one behind a condition that "
          "reads") {
    const auto edges = [] {
        const ImageParam in = image("in", {1024, 768});
        Func f("f");
        f(x, y) = in(x, y) * 2;
        f(0, y) = in(0, y);
        f(x, 0) = f(x, 0) + in(x, 0);
        estimate(f, {1024, 768});
        return Program{{in}, {f}, {}};
    };
    check_same_values(edges, sizes_of_image());
    const auto histogram = [] {
        const ImageParam in = image("in", {1024, 768}, UInt(8));
        const RDom r(0, in.dim(0).extent(), "r");
        Func h("h");
        h(x, y) = 0;
        h(clamp(cast<int>(in(r, y)) / 4, 0, 31), y) += 1;
        estimate(h, {32, 768});
        return Program{{in}, {h}, {}};
    };
    const std::string of_histogram =
        check_same_values(histogram, {{{{1024, 768}}, {{32, 768}}}, {{{37, 23}}, {{32, 23}}}});
    CHECK(count(of_histogram, "update(0).parallel(") == 1);
    const auto conditional = [] {
        const ImageParam in = image("in", {1024, 768}), limit = image("limit", {1024});
        RDom r(1, max(in.dim(1).extent() - 1, 0), "r");
        r.where(in(x, r) > limit(x));
        Func f("f");
        f(x, y) = in(x, y);
        f(x, r) = f(x, r - 1) + in(x, r);
        estimate(f, {1024, 768});
        return Program{{in, limit}, {f}, {}};
    };
    const std::string of_conditional = check_same_values(
        conditional, {{{{1024, 768}, {1024}}, {{1024, 768}}}, {{{37, 23}, {37}}, {{37, 23}}}});
    CHECK(count(of_conditional, "update(0).split(") == 0);  // Halide would read what lies beyond the end
}

TEST_CASE(
    "tasks of a histogram have a copy each, which are added up in vectors; strictly only those of integers") {
    for (const bool weighted : {false, true}) {
        const auto make = [=] {
            const ImageParam in = image("in", {1024, 768}, UInt(8)), weight = image("weight", {1024, 768});
            const RDom r(0, in.dim(0).extent(), 0, in.dim(1).extent(), "r");
            Func f("f");
            if (weighted) {
                f(x) = 1.0f;
                f(clamp(cast<int>(in(r.x, r.y)), 0, 99)) += weight(r.x, r.y);
            } else {
                f(x) = x;
                f(clamp(cast<int>(in(r.x, r.y)), 0, 99)) += cast<int>(in(r.x, r.y));
            }
            Func out("out");
            out(x) = f(x) + f(99 - x);
            estimate(out, {100});
            return weighted ? Program{{in, weight}, {out}, {}} : Program{{in}, {out}, {}};
        };
        const auto sizes = [=](const std::vector<int> &extents) {
            return weighted ? Sizes{{extents, extents}, {{100}}} : Sizes{{extents}, {{100}}};
        };
        const std::string source = check_same_values(
            make, {sizes({1024, 768}), sizes({37, 23}), sizes({9, 200}), sizes({3, 1}), sizes({1, 1})});
        INFO(source);
        CHECK(count(source, ".rfactor(") == 1);
        CHECK(count(source, "chunks.update(0).parallel(") == 1);
        CHECK(count(source, "\nf.update(0).vectorize(") == 1);
    }
}

TEST_CASE("the place of the largest of all, the last of equals, and sums of a Tuple: chunks in parallel") {
    for (const bool sums : {false, true}) {
        const auto make = [=] {
            const ImageParam in = image("in", {1024, 768}, UInt(8));
            const RDom r(0, in.dim(0).extent(), 0, in.dim(1).extent(), "r");
            Func f("f"), out("out");
            const Expr value = cast<int>(in(r.x, r.y));
            if (sums) {
                f() = Tuple(3, 0);
                f() = Tuple(f()[0] + value, f()[1] + value * value);
            } else {
                f() = Tuple(0, -1);
                const Expr keep = f()[0] > value;
                f() =
                    Tuple(select(keep, f()[0], value), select(keep, f()[1], r.x + in.dim(0).extent() * r.y));
            }
            out(x) = select(x == 0, f()[0], f()[1]);
            estimate(out, {2});
            return Program{{in}, {out}, {}};
        };
        const std::string source = check_same_values(
            make, {{{{1024, 768}}, {{2}}}, {{{37, 23}}, {{2}}}, {{{9, 200}}, {{2}}}, {{{1, 1}}, {{2}}}});
        INFO(source);
        // Or in lanes, some of them in each task (test_reduce_in_lanes).
        CHECK(count(source, "eutectic::reduce_in_lanes(") == 1);
        CHECK(count(source, "_lanes.update(0).parallel(") == 1);
    }
}
