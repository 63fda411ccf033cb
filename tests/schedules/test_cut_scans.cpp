// Scans where one dimension is all there is are cut into pieces, with the values that they have as written:
// which these are, and at which sizes and of which kinds.

#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <sstream>

#include "Halide.h"

#include "base/user_error.h"
#include "schedules/autoschedule.h"
#include "schedules/cut_scans.h"
#include "schedules/rewrites.h"
#include "tests/schedules/jit_check.h"
#include "tests/support/pipelines.h"

using namespace Halide;
using namespace eutectic;
using namespace eutectic::test;

namespace {

constexpr int planned = 1 << 20;

Var x("x"), y("y");

/** Of a line of so many numbers, which a scan by `step` goes along. */
Program line(const Type &type,
             const std::function<Expr(const Func &, const RDom &, const ImageParam &)> &step, int first = 1,
             int left = 0) {
    const ImageParam in(type, 1, "in");
    const RDom r(first, max(in.dim(0).extent() - first - left, 0), "r");
    Func f("f"), out("out");
    f(x) = in(x);
    f(r) = step(f, r, in);
    out(x) = f(x) / cast(type, 2);
    ImageParam(in).set_estimates({{0, planned}});
    out.set_estimates({{0, planned}});
    return {{in}, {out}, {}};
}

std::vector<Sizes> lines(int least = 1) {
    std::vector<Sizes> all;
    for (const int n : {planned, least, least + 1, 17, 4079, 4080, 4081, 100'003}) {
        all.push_back({{{n}}, {{n}}});
    }
    return all;
}

bool cuts(const std::string &source) {
    return source.find("eutectic::cut_scans(pipeline, {{") != std::string::npos;
}

/** What would be cut in the pipeline of `f` for so many cores. */
std::vector<std::pair<int, int>> found(const Func &f, int cores = 4, bool strict = false) {
    Machine machine;
    machine.cores = cores;
    Graph graph = graph_of({f});
    graph.strict = strict;
    return scans_to_cut(graph, Pipeline(f), machine);
}

using Scans = std::vector<std::pair<int, int>>;

/** A scan by `step` over `rows` lines of `columns`. */
Func lines_of(int columns, int rows, const std::function<void(Func, RDom, ImageParam)> &step) {
    const ImageParam in = image("in", {columns, rows});
    const RDom r(1, columns - 1, "r");
    Func f("f"), out("out");
    f(x, y) = in(x, y);
    step(f, r, in);
    out(x, y) = f(x, y) + 1.0f;
    estimate(out, {columns, rows});
    return out;
}

}  // namespace

TEST_CASE("prefix sums, running maxima and others, bit for bit of integers") {
    const auto sum = [](const Func &f, const RDom &r, const ImageParam &) { return f(r) + f(r - 1); };
    const auto most = [](const Func &f, const RDom &r, const ImageParam &in) {
        return max(f(r - 1), in(r)*cast(in.type(), 3));
    };
    const auto parity = [](const Func &f, const RDom &r, const ImageParam &) { return f(r - 1) ^ f(r); };
    for (const Type &type : {UInt(8), UInt(16), Int(32)}) {  // the narrow ones wrap around
        CAPTURE(type.bits());
        CHECK(cuts(check_same_values([&] { return line(type, sum); }, lines())));
        CHECK(cuts(check_same_values([&] { return line(type, most, 3, 2); }, lines(5))));
        CHECK(cuts(check_same_values([&] { return line(type, parity); }, lines())));
    }
}

TEST_CASE("a report says what was cut") {
    const Program program =
        line(Float(32), [](const Func &f, const RDom &r, const ImageParam &) { return f(r) + f(r - 1); });
    const std::string name = Pipeline(program.outputs).get_func(1).name();
    Parameters parameters;
    parameters.parallelism = 4;
    const Scheduled s = schedule(Pipeline(program.outputs), get_host_target(), parameters, false);
    CHECK(s.graph.changed ==
          std::vector<std::string>{name + " scans one point after the other: it goes along pieces of 4080 "
                                          "points, each on its own, and then adds what comes before "
                                          "(disable=cut_scans leaves it as it is)"});
    CHECK(to_text(s.report()).find(s.graph.changed.front()) != std::string::npos);
}

TEST_CASE("prefix sums of floats, of a few rows, and behind an offset") {
    const auto rows = [](int count) {
        const ImageParam in = image("in", {planned, count});
        const RDom r(1, max(in.dim(0).extent() - 2, 0), "r");
        Func f("f"), out("out");
        f(x, y) = in(x + 1, y) - 0.5f;
        f(r, y) += f(r - 1, y);
        out(x, y) = f(x, y);
        estimate(out, {planned - 1, count});
        return Program{{in}, {out}, {}};
    };
    for (const int count : {1, 3}) {
        const std::vector<Sizes> sizes = {{{{100'001, count}}, {{100'000, count}}},
                                          {{{2, count}}, {{1, count}}}};
        CHECK(cuts(check_same_values([&] { return rows(count); }, sizes)));
    }
}

TEST_CASE("what is cut: associative scans of few and long lines") {
    const auto sums = [](Func f, const RDom &r, const ImageParam &) { f(r, y) += f(r - 1, y); };
    CHECK(found(lines_of(planned, 1, sums)) == Scans{{1, 4080}});
    CHECK(found(lines_of(planned, 3, sums)) == Scans{{1, 4080}});
    CHECK(found(lines_of(planned, 1, sums), 64) == Scans{{1, 4080}});
    CHECK(found(lines_of(1 << 17, 1, sums), 16) == Scans{{1, 2032}});  // four pieces for each core
    // Rows enough for all cores, too short, one core, bits that may not change.
    CHECK(found(lines_of(planned, 4, sums)) == Scans{});
    CHECK(found(lines_of(4096, 1, sums)) == Scans{});
    CHECK(found(lines_of(planned, 1, sums), 1) == Scans{});
    CHECK(found(lines_of(planned, 1, sums), 4, true) == Scans{});
    // Neither a quotient nor what reads two points back, or another one, can be cut.
    using Step = std::function<void(Func, RDom, ImageParam)>;
    for (const Step &step :
         {Step([](Func f, const RDom &r, const ImageParam &) { f(r, y) /= f(r - 1, y) + 2; }),
          Step([](Func f, const RDom &r, const ImageParam &) { f(r, y) += f(max(r - 2, 0), y); }),
          Step([](Func f, const RDom &r, const ImageParam &) {
              f(r, y) = f(r - 1, y) * f(r - 1, y) + f(r, y);
          }),
          Step([](Func f, const RDom &r, const ImageParam &in) {
              f(r, y) = f(r - 1, y) * in(r, y) + exp(f(r - 1, y));
          })}) {
        CHECK(found(lines_of(planned, 1, step)) == Scans{});
    }
    // A factor of what came before, in whatever form.
    for (const Step &step :
         {Step([](Func f, const RDom &r, const ImageParam &) { f(r, y) += f(r - 1, y) * 0.5f; }),
          Step([](Func f, const RDom &r, const ImageParam &) {
              f(r, y) = f(r - 1, y) + f(r, y) * f(r - 1, y);
          }),
          Step([](Func f, const RDom &r, const ImageParam &in) {
              f(r, y) = f(r - 1, y) + 0.1f * (in(r, y) - f(r - 1, y)) / 3;
          })}) {
        const Scans cut = found(lines_of(planned, 1, step));
        CHECK(cut == Scans{{1, 4080}});
        CHECK(found(lines_of(planned, 1, step), 4, true) == Scans{});
    }
    // Whoever scheduled it has decided.
    const Func own = lines_of(planned, 1, [&](Func f, const RDom &r, const ImageParam &in) {
        sums(f, r, in);
        f.compute_root();
    });
    CHECK(found(own) == Scans{});
}

namespace {

/** A scan, of which everything is drawn: of which type, by what, from where to where along which of two
 * dimensions, of its own points or an input's, with what came before on either side. */
struct DrawnScan {
    static constexpr int factor = 7, constant_factor = 8, mean = 9;  // of operations
    int type, op, first, left, points;
    bool along_x, of_input, swapped;

    explicit DrawnScan(std::mt19937 &engine) {
        const auto draw = [&](int from, int to) {
            return std::uniform_int_distribution<int>(from, to)(engine);
        };
        type = draw(0, 4);
        op = draw(0, type == 4 ? 3 : 6);  // of floats no bits
        op = draw(0, 2) == 0 ? draw(factor, mean) : op;
        first = draw(1, 5);
        left = draw(0, 3);
        points = draw(2, 40);
        along_x = draw(0, 1);
        of_input = draw(0, 1);
        swapped = draw(0, 1);
    }

    std::string text() const {
        std::ostringstream s;
        s << "type " << type << " op " << op << " first " << first << " left " << left << " points " << points
          << (along_x ? " along x" : " along y") << (of_input ? " of the input" : "")
          << (swapped ? " swapped" : "");
        return s.str();
    }

    Expr make(const Expr &a, const Expr &b) const {
        switch (op) {
        case 0: return a + b;
        case 1: return min(a, b);
        case 2: return max(a, b);
        case 3: return a * b;
        case 4: return a & b;
        case 5: return a | b;
        default: return a ^ b;
        }
    }

    /** A linear one, whose numbers stay small where they may not wrap. */
    Expr recurrence(const Expr &before, const Expr &own, const Type &of) const {
        const Expr small = of.is_float() ? own : cast(of, own % 3) - cast(of, 1);
        switch (op) {
        case factor: return swapped ? own + before * small : small * before + own;
        case constant_factor:
            return of.is_float() ? own - before / 2 : swapped ? own - before : own + before * cast(of, -1);
        default:
            return of.is_float() ? before + 0.25f * (own - before)
                                 : before - cast(of, own % 2) * (before + own);
        }
    }

    Program program() const {
        const Type types[] = {UInt(8), Int(16), UInt(16), Int(32), Float(32)};
        const ImageParam in(types[type], 2, "in");
        const Expr size = in.dim(along_x ? 0 : 1).extent();
        const RDom r(first, max(size - first - left, 0), "r");
        Func f("f"), out("out");
        f(x, y) = in(x, y);
        const auto at = [&](const Expr &i) {
            return along_x ? std::vector<Expr>{i, y} : std::vector<Expr>{x, i};
        };
        // Products of integers up to 100 have more than 32 bits, which signed ones may not.
        const bool large = op == 3 && (type == 3 || type == 4);
        const Expr before = f(at(r - 1)), read = of_input ? in(at(r)) : f(at(r));
        const Expr own = large ? read / cast(types[type], 128) : read;
        if (op >= factor) {
            f(at(r)) = recurrence(before, own, types[type]);
        } else {
            f(at(r)) = swapped ? make(own, before) : make(before, own);
        }
        out(x, y) = f(x, y);
        estimate(out, {64, 8});
        return {{in}, {out}, {}};
    }
};

}  // namespace

TEST_CASE("drawn scans in drawn pieces" * doctest::test_suite("slow")) {
    std::mt19937 engine(20261125);
    const Target target = get_jit_target_from_environment();
    for (int n = 0; n < 60; n++) {
        const DrawnScan scan(engine);
        const Program whole = scan.program(), cut = scan.program();
        Pipeline pipeline(cut.outputs);
        int index = 0;
        while (!cuttable_scan(pipeline.get_func(index).function())) {
            index++;
        }
        cut_scans(pipeline, {{index, scan.points}});
        compute_all_at_root(whole);
        compute_all_at_root(cut);
        Compiled plain(whole, target), pieces(cut, target);
        // As many as the range needs to be legal, and such that it has no points, one, and many.
        const int least = scan.first + scan.left;
        for (const int length : {least, least + 1, least + 2, least + scan.points, 131}) {
            const std::vector<int> size =
                scan.along_x ? std::vector<int>{length, 3} : std::vector<int>{3, length};
            const Sizes sizes{{size}, {size}};
            const std::vector<double> expected = values(plain.run(sizes)[0]),
                                      got = values(pieces.run(sizes)[0]);
            INFO(scan.text() << ", " << length);
            REQUIRE(got.size() == expected.size());
            for (size_t i = 0; i < got.size(); i++) {
                CHECK(std::abs(got[i] - expected[i]) <=
                      (scan.type == 4 ? 1e-4 * std::max(1.0, std::abs(expected[i])) : 0));
            }
        }
    }
}

TEST_CASE("what is no scan, and pieces of one point") {
    const Func out =
        lines_of(64, 1, [](Func f, const RDom &r, const ImageParam &) { f(r, y) += f(r - 1, y); });
    CHECK_THROWS_WITH_AS(cut_scans(Pipeline(out), {{1, 1}}), doctest::Contains("a piece has two or more"),
                         UserError);
    CHECK_THROWS_WITH_AS(cut_scans(Pipeline(out), {{2, 8}}), doctest::Contains("is no scan"), UserError);
}
