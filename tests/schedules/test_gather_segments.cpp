// Updates that add at places which are known, f(r / 2) += ..., go along the points that they write: with the
// same bits, at any size, and with vectors and tasks.

#include <doctest/doctest.h>

#include <random>
#include <sstream>

#include "Halide.h"

#include "base/user_error.h"
#include "schedules/autoschedule.h"
#include "schedules/rewrites.h"
#include "tests/schedules/jit_check.h"
#include "tests/support/pipelines.h"

using namespace Halide;
using namespace eutectic;
using namespace eutectic::test;

namespace {

Var x("x"), y("y");

/** f(at(r)) += in(r) over all of an image, to be written to `width` x `height` points. */
Program scattered(const Type &type, int width, int height,
                  const std::function<std::vector<Expr>(const RDom &)> &at) {
    const ImageParam in(type, 2, "in");
    const RDom r(in.dim(0).min(), in.dim(0).extent(), in.dim(1).min(), in.dim(1).extent(), "r");
    Func f("f"), out("out");
    f(x, y) = cast(type, x + y);
    const std::vector<Expr> place = at(r);
    f(place) += in(r.x, r.y);
    out(x, y) = f(x, y) + cast(type, 1);
    ImageParam(in).set_estimates({{0, 640}, {0, 480}});
    out.set_estimates({{0, width}, {0, height}});
    return {{in}, {out}, {}};
}

bool gathers(const std::string &source) {
    return source.find("eutectic::gather_segments(pipeline, {{") != std::string::npos;
}

/** The image with so many points, f of a size that holds what they go to. */
std::vector<Sizes> sizes(const std::function<std::vector<int>(int, int)> &written) {
    std::vector<Sizes> all;
    for (const auto &[width, height] :
         {std::pair(640, 480), {1, 1}, {2, 3}, {7, 1}, {1, 9}, {37, 22}, {131, 64}}) {
        all.push_back({{{width, height}}, {written(width, height)}});
    }
    return all;
}

}  // namespace

TEST_CASE("sums of blocks, written as a scatter, bit for bit of floats, too") {
    const auto halves = [](const RDom &r) { return std::vector<Expr>{r.x / 2, r.y / 2}; };
    const auto half = [](int w, int h) { return std::vector<int>{(w + 1) / 2, (h + 1) / 2}; };
    for (const Type &type : {UInt(8), Int(32), Float(32)}) {
        CAPTURE(type.bits());
        const std::string source =
            check_same_values([&] { return scattered(type, 320, 240, halves); }, sizes(half));
        INFO(source);
        CHECK(gathers(source));
        CHECK(source.find(".vectorize(") != std::string::npos);
        CHECK(source.find(".parallel(") != std::string::npos);
    }
    const auto shifted = [](const RDom &r) { return std::vector<Expr>{(r.x + 5) / 3 - 1, r.y / 7}; };
    const auto third = [](int w, int h) { return std::vector<int>{(w + 7) / 3, (h + 6) / 7}; };
    CHECK(gathers(check_same_values([&] { return scattered(Float(32), 214, 69, shifted); }, sizes(third))));
}

TEST_CASE("clamped places: what is beyond an end stays a scatter, in the order that it had") {
    const auto inside = [](const RDom &r) { return std::vector<Expr>{clamp(r.x, 3, 600), r.y}; };
    const auto both = [](const RDom &r) {
        return std::vector<Expr>{clamp(r.x - 20, 0, 590), clamp(r.y / 2, 5, 200)};
    };
    const auto at_least = [](int w, int h) { return std::vector<int>{std::max(w, 601), std::max(h, 206)}; };
    CHECK(
        gathers(check_same_values([&] { return scattered(Float(32), 640, 480, inside); }, sizes(at_least))));
    CHECK(gathers(check_same_values([&] { return scattered(Int(32), 640, 480, both); }, sizes(at_least))));
    const auto contradicting = [](const RDom &r) { return std::vector<Expr>{clamp(r.x, 30, 20), r.y}; };
    check_same_values([&] { return scattered(Int(32), 640, 480, contradicting); }, sizes(at_least));
}

TEST_CASE("known places beside those that only computing tells") {
    const auto make = [] {
        const ImageParam in(UInt(8), 2, "in");
        const RDom r(0, in.dim(0).extent(), 0, in.dim(1).extent(), "r");
        Var z("z");
        Func f("f");
        f(x, y, z) = 0;
        f(r.x / 8, r.y / 8, cast<int>(in(r.x, r.y)) / 32) += 1;
        ImageParam(in).set_estimates({{0, 640}, {0, 480}});
        f.set_estimates({{0, 80}, {0, 60}, {0, 8}});
        return Program{{in}, {f}, {}};
    };
    std::vector<Sizes> all;
    for (const auto &[width, height] : {std::pair(640, 480), {1, 1}, {13, 9}, {64, 64}}) {
        all.push_back({{{width, height}}, {{(width + 7) / 8, (height + 7) / 8, 8}}});
    }
    CHECK(gathers(check_same_values(make, all)));
}

TEST_CASE("a reduction variable that goes along points of its own has vectors and tasks") {
    const auto make = [](const std::function<void(Func, RDom, ImageParam)> &update) {
        const ImageParam in(Float(32), 2, "in");
        const RDom r(0, in.dim(0).extent(), 0, in.dim(1).extent(), "r");
        Func f("f");
        f(x, y) = 0.5f;
        update(f, r, in);
        ImageParam(in).set_estimates({{0, 1024}, {0, 1024}});
        f.set_estimates({{0, 1030}, {0, 1030}});
        return Program{{in}, {f}, {}};
    };
    std::vector<Sizes> all;
    for (const auto &[width, height] : {std::pair(1024, 1024), {1, 1}, {13, 9}, {64, 1}}) {
        all.push_back({{{width, height}}, {{width + 6, height + 6}}});
    }
    const auto scheduled = [&](const std::function<void(Func, RDom, ImageParam)> &update) {
        const std::string source = check_same_values([&] { return make(update); }, all);
        CHECK(source.find("atomic(") == std::string::npos);  // no two lanes write one point
        return std::pair(source.find("vectorize(r_") != std::string::npos,
                         source.find("parallel(r_") != std::string::npos);
    };
    using Both = std::pair<bool, bool>;
    CHECK(scheduled([](Func f, const RDom &r, const ImageParam &in) {
              f(r.x + 3, r.y + 2) += in(r.x, r.y);
          }) == Both(true, true));
    CHECK(scheduled([](Func f, const RDom &r, const ImageParam &in) {
              f(r.x + 3, r.y + 2) = f(r.x + 3, r.y + 1) * 0.5f + in(r.x, r.y);  // down columns
          }) == Both(true, true));
    CHECK(scheduled([](Func f, const RDom &r, const ImageParam &in) {
              f(r.x + 3, 2) += in(r.x, r.y);  // the other one adds up
          }).first);
    CHECK(scheduled([](Func f, const RDom &r, const ImageParam &in) {
              f(r.x + 3, r.y + 2) = f(r.x + 2, r.y + 1) + in(r.x, r.y);  // neither
          }) == Both(false, false));
}

TEST_CASE("a report says what was gathered, and disable leaves it") {
    const auto make = [] {
        return scattered(Float(32), 320, 240,
                         [](const RDom &r) { return std::vector<Expr>{r.x / 2, r.y / 2}; });
    };
    Parameters parameters;
    parameters.parallelism = 4;
    const Program program = make();
    const Scheduled s = schedule(Pipeline(program.outputs), get_host_target(), parameters, false);
    REQUIRE(s.graph.changed.size() == 1);
    CHECK(s.graph.changed.front().find(" adds at places that are known: it gathers the terms of each point, "
                                       "and the points do not wait for each other (disable=gather_segments "
                                       "leaves it as it is)") != std::string::npos);
    parameters.disable = {"gather_segments"};
    const Program left = make();
    CHECK(schedule(Pipeline(left.outputs), get_host_target(), parameters, false).graph.changed.empty());
}

TEST_CASE("what is no such update is refused") {
    const Program program =
        scattered(Int(32), 64, 64, [](const RDom &r) { return std::vector<Expr>{r.x, (r.x + r.y) / 2}; });
    Pipeline pipeline(program.outputs);
    CHECK_THROWS_WITH_AS(gather_segments(pipeline, {{1, 0}}), doctest::Contains("leave it out"), UserError);
    CHECK_THROWS_WITH_AS(gather_segments(pipeline, {{1, 7}}), doctest::Contains("leave it out"), UserError);
}

namespace {

/** An update at places that are drawn, of which the first argument or both are known. */
struct DrawnScatter {
    int type, op, first, left;
    struct Place {
        int offset, step, shift, low, high;
        bool clamped, inside_out;

        explicit Place(const std::function<int(int, int)> &draw)
            : offset(draw(-4, 4)),
              step(draw(1, 4)),
              shift(draw(-3, 3)),
              low(draw(-5, 20)),
              high(draw(-5, 40)),
              clamped(draw(0, 1) == 1 || step == 1),
              inside_out(draw(0, 1) == 1) {
        }
        Expr of(const Expr &r) const {
            const Expr at = (r + offset) / step + shift;
            return !clamped ? at : inside_out ? min(max(at, low), high) : clamp(at, low, high);
        }
    };
    Place x, y;
    bool y_known, with_third;

    explicit DrawnScatter(const std::function<int(int, int)> &draw)
        : type(draw(0, 2)),
          op(draw(0, 2)),
          first(draw(-3, 3)),
          left(draw(0, 3)),
          x(draw),
          y(draw),
          y_known(draw(0, 1) == 1),
          with_third(draw(0, 1) == 1) {
    }

    std::string text() const {
        std::ostringstream s;
        for (const Place &p : {x, y}) {
            s << "(r + " << p.offset << ") / " << p.step << " + " << p.shift;
            s << (p.clamped ? " from " + std::to_string(p.low) + " to " + std::to_string(p.high) : "")
              << "; ";
        }
        s << "type " << type << " op " << op << " first " << first << " left " << left << " y known "
          << y_known << " third " << with_third;
        return s.str();
    }

    Program program() const {
        const Type types[] = {UInt(8), Int(32), Float(32)};
        const ImageParam in(types[type], 2, "in");
        const RDom r(first, max(in.dim(0).extent() - left, 0), first, max(in.dim(1).extent() - left, 0), 0,
                     with_third ? 2 : 1, "r");
        Func f("f"), out("out");
        Var i("x"), j("y");
        f(i, j) = cast(types[type], i - j);
        const Expr at_x = x.of(r.x), at_y = y_known ? y.of(r.y) : Expr(r.y);
        const Expr term = in(r.x - first, r.y - first) + cast(types[type], r.z);
        const Expr before = f(at_x, at_y);
        f(at_x, at_y) = op == 0   ? before + term
                        : op == 1 ? max(before, term)
                                  : before / cast(types[type], 2) + term;  // in this order alone
        out(i, j) = f(i - 8, j - 8);
        estimate(out, {64, 64});
        return {{in}, {out}, {}};
    }
};

}  // namespace

TEST_CASE("drawn scatters, bit for bit") {
    std::mt19937 engine(20261126);
    const Target target = get_jit_target_from_environment().with_feature(Target::StrictFloat);
    int changed = 0;
    for (int n = 0; n < 100; n++) {
        const DrawnScatter scatter(
            [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(engine); });
        const Program whole = scatter.program(), gathered = scatter.program();
        Pipeline pipeline(gathered.outputs);
        int index = 0;
        while (pipeline.get_func(index).num_update_definitions() == 0) {
            index++;
        }
        if (!adds_known_segments(pipeline.get_func(index).function(), 0)) {
            continue;
        }
        changed++;
        gather_segments(pipeline, {{index, 0}});
        compute_all_at_root(whole);
        compute_all_at_root(gathered);
        Compiled plain(whole, target), segments(gathered, target);
        for (const int length : {scatter.left, scatter.left + 1, scatter.left + 2, 9, 31}) {
            const Sizes sizes{{{std::max(1, length), std::max(1, length)}}, {{64, 64}}};
            INFO(scatter.text() << ", " << length);
            CHECK(values(plain.run(sizes)[0]) == values(segments.run(sizes)[0]));
        }
    }
    CHECK(changed > 50);
}
