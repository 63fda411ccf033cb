// Reductions of Tuples in lanes: the values as written, of equal ones the one that was kept, at all sizes;
// which reductions these are, and where.

#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <sstream>

#include "Halide.h"

#include "base/user_error.h"
#include "fusion/plan/grade.h"
#include "graph/read/build.h"
#include "schedules/autoschedule.h"
#include "schedules/rewrites.h"
#include "schedules/tuples_in_lanes.h"
#include "tests/schedules/jit_check.h"
#include "tests/support/pipelines.h"
#include "tests/support/rounds.h"

using namespace Halide;
using namespace eutectic;
using namespace eutectic::test;

namespace {

Var x("x"), y("y");

/** Rows of whole numbers, few of them different, so that many are equal. */
Expr few(const ImageParam &in, const Expr &i, const Expr &j) {
    return cast(in.type(), cast<int>(in(i, j) * cast(in.type(), 7)) % 3);
}

/** The first largest value of each row and its place, as everybody writes it. */
Program argmax_of_rows(const Type &type, int columns, int rows) {
    const ImageParam in(type, 2, "in");
    const RDom r(0, in.dim(0).extent(), "r");
    Func best("best"), out("out");
    best(y) = Tuple(type.min(), 0);
    const Expr v = few(in, r, y), better = v > best(y)[0];
    best(y) = Tuple(select(better, v, best(y)[0]), select(better, r, best(y)[1]));
    out(y) = best(y)[1] + 10000 * cast<int>(best(y)[0]);
    ImageParam(in).set_estimates({{0, columns}, {0, rows}});
    estimate(out, {rows});
    return {{in}, {out}, {}};
}

bool in_lanes(const std::string &source) {
    return source.find("eutectic::reduce_in_lanes(pipeline, {{") != std::string::npos;
}

std::vector<std::pair<int, int>> found(const Program &program, int cores = 4, bool strict = false,
                                       bool sums_in_any_order = false) {
    Machine machine;
    machine.cores = cores;
    machine.vector_bits = 256;
    Graph graph = graph_of(program.outputs);
    graph.strict = strict;
    graph.sums_in_any_order = sums_in_any_order;
    return tuples_in_lanes(graph, Pipeline(program.outputs), machine);
}

/** Of one value, of rows: what `update` makes of a Tuple of a value and a number, and of v and r. */
Program tuple_of_rows(const std::function<Tuple(const FuncRef &, const Expr &, const Expr &)> &update,
                      const Type &type = Float(32), int columns = 4096) {
    const ImageParam in(type, 2, "in");
    const RDom r(0, in.dim(0).extent(), "r");
    Func best("best"), out("out");
    best(y) = Tuple(cast(type, 2), -5);
    best(y) = update(best(y), in(r, y), r);
    out(y) = best(y)[1] + 10000 * cast<int>(best(y)[0]);
    ImageParam(in).set_estimates({{0, columns}, {0, 64}});
    estimate(out, {64});
    return {{in}, {out}, {}};
}

Tuple best_by(const FuncRef &f, const Expr &better, const Expr &v, const Expr &r) {
    return {select(better, v, f[0]), select(better, r, f[1])};
}

}  // namespace

TEST_CASE("the first largest value of rows, and its place, at all sizes") {
    for (const Type &type : {Float(32), UInt(8), Int(16)}) {
        std::vector<Sizes> sizes;
        for (const auto &[columns, rows] :
             {std::pair(4096, 64), {1, 1}, {2, 3}, {15, 2}, {16, 2}, {17, 5}, {100, 1}, {4097, 3}}) {
            sizes.push_back({{{columns, rows}}, {{rows}}});
        }
        CHECK(in_lanes(check_same_values([&] { return argmax_of_rows(type, 4096, 64); }, sizes)));
    }
    // Fewer rows than cores: each has lanes of its own.
    CHECK(in_lanes(check_same_values([] { return argmax_of_rows(Float(32), 1 << 20, 1); },
                                     {{{{1 << 20, 1}}, {{1}}}, {{{1000, 1}}, {{1}}}, {{{3, 2}}, {{2}}}})));
}

TEST_CASE("what is reduced in lanes: the best by any comparison, and independent sums") {
    using Update = std::function<Tuple(const FuncRef &, const Expr &, const Expr &)>;
    const std::vector<Update> best = {
        [](const FuncRef &f, const Expr &v, const Expr &r) { return best_by(f, v > f[0], v, r); },
        [](const FuncRef &f, const Expr &v, const Expr &r) { return best_by(f, f[0] <= v, v, r); },
        [](const FuncRef &f, const Expr &v, const Expr &r) { return best_by(f, f[0] > v, v, r); },
        [](const FuncRef &f, const Expr &v, const Expr &r) {
            return Tuple(max(v, f[0]), select(v > f[0], cast<int>(v * 3) + r % 5, f[1]));
        },
        [](const FuncRef &f, const Expr &v, const Expr &r) {
            return Tuple(select(f[0] >= v, f[0], v), select(f[0] >= v, f[1], r));
        }};
    const std::vector<Update> sums = {
        [](const FuncRef &f, const Expr &v, const Expr &r) { return Tuple(f[0] + v, f[1] + r); },
        [](const FuncRef &f, const Expr &v, const Expr &r) {
            return Tuple(f[0] + v * v - v / 3, r + f[1] - 1);
        },
        [](const FuncRef &f, const Expr &v, const Expr &r) { return Tuple(min(f[0], v), f[1] ^ r); }};
    const std::vector<Update> others = {
        [](const FuncRef &f, const Expr &v, const Expr &) { return Tuple(f[0] * v, f[1] + cast<int>(f[0])); },
        [](const FuncRef &f, const Expr &v, const Expr &r) { return Tuple(f[0] / v, f[1] + r); },
        [](const FuncRef &f, const Expr &v, const Expr &r) {
            return Tuple(select(v > f[0], v, f[0]), select(v > f[0] + 1, r, f[1]));
        },
        [](const FuncRef &f, const Expr &v, const Expr &r) {
            return Tuple(select(v > f[0], 2 * v, f[0]), select(v > f[0], r, f[1]));
        }};
    const auto lanes = [&](const Update &update, bool strict = false, bool any_order = false) {
        return found(tuple_of_rows(update), 4, strict, any_order);
    };
    const std::vector<std::pair<int, int>> sixteen = {{1, 16}}, none;
    for (const Update &update : best) {
        CHECK(lanes(update) == sixteen);
    }
    for (const Update &update : sums) {
        CHECK(lanes(update) == sixteen);
        CHECK(lanes(update, true) == none);
    }
    for (const Update &update : others) {
        CHECK(lanes(update) == none);
    }
    // Where bits may not change: the same choice is made of the same values; a NaN is not.
    for (size_t b = 0; b < best.size(); b++) {
        CHECK(lanes(best[b], true) == (b < 3 ? sixteen : none));
    }
    CHECK(lanes(sums[0], true, true) == sixteen);
    CHECK(lanes(sums[2], true, true) == none);
    // Rows that are short, and bytes, of which there are more in a vector.
    CHECK(found(tuple_of_rows(best[0], Float(32), 100)) == none);
    CHECK(found(argmax_of_rows(UInt(8), 4096, 64)) == sixteen);  // beside the place
}

namespace {

/** A reduction of which everything is drawn. */
struct Drawn {
    int type, op, variables, lanes, start;
    bool behind_condition, payload;

    explicit Drawn(std::mt19937 &engine) {
        const auto draw = [&](int from, int to) {
            return std::uniform_int_distribution<int>(from, to)(engine);
        };
        type = draw(0, 3);
        op = draw(0, 6);
        variables = draw(1, 2);
        lanes = 1 << draw(1, 10);
        start = draw(0, 2);
        behind_condition = draw(0, 3) == 0;
        payload = draw(0, 1);
    }

    std::string text() const {
        std::ostringstream s;
        s << "type " << type << " op " << op << " variables " << variables << " lanes " << lanes << " start "
          << start << (behind_condition ? " behind a condition" : "") << (payload ? " with a payload" : "");
        return s.str();
    }

    Program program() const {
        const Type types[] = {UInt(8), Int(16), Int(32), Float(32)};
        const Type t = types[type];
        const ImageParam in(t, 2, "in");
        const Expr width = in.dim(0).extent(), height = in.dim(1).extent();
        RDom r = variables == 1 ? RDom(0, width, "r") : RDom(0, width, 0, height, "r");
        if (behind_condition) {
            r.where(r.x % 3 != 1);
        }
        Func f("f"), out("out");
        const Expr row = variables == 1 ? Expr(y) : Expr(r[1]);
        const Expr v = few(in, r.x, row);
        // Where no sum leaves the whole numbers that floats hold exactly, or those of 32 bits.
        const bool wraps = t.bits() < 32;
        const Expr least = wraps ? t.min() : cast(t, -1000), most = wraps ? t.max() : cast(t, 1000);
        const Expr start_value = start == 0 ? least : start == 1 ? most : cast(t, 1);
        f(y) = Tuple(start_value, 3, 4);
        const Expr old = f(y)[0];
        const Expr place = payload ? cast<int>(in(r.x, 0) * cast(t, 5)) : r.x,
                   other = variables == 1 ? r.x + 7 : r[variables - 1] + 7;
        if (op < 4) {
            const Expr better = op == 0 ? v > old : op == 1 ? v >= old : op == 2 ? v < old : v <= old;
            f(y) =
                Tuple(select(better, v, old), select(better, place, f(y)[1]), select(better, other, f(y)[2]));
        } else if (op == 4) {
            f(y) = Tuple(old + v, f(y)[1] + place, max(f(y)[2], other));
        } else if (op == 5) {
            f(y) = Tuple(min(v, old), f(y)[1] ^ place, f(y)[2] - other);
        } else {
            f(y) = Tuple(old + v - cast(t, 1), place + f(y)[1], f(y)[2] | other);
        }
        out(x, y) = cast<double>(select(x == 0, cast<int>(f(y)[0]), x == 1, f(y)[1], f(y)[2]));
        estimate(out, {3, 8});
        return {{in}, {out}, {}};
    }
};

}  // namespace

TEST_CASE("drawn reductions in drawn lanes") {
    std::mt19937 engine(20261129);
    const Target target = get_jit_target_from_environment();
    int reduced = 0;
    for (int n = 0; n < rounds(60); n++) {
        const Drawn drawn(engine);
        const Program whole = drawn.program(), split = drawn.program();
        Pipeline pipeline(split.outputs);
        int index = 0;
        while (pipeline.get_func(index).function().updates().empty()) {
            index++;
        }
        INFO(drawn.text());
        REQUIRE(reducible_in_lanes(pipeline.get_func(index).function()));
        reduce_in_lanes(pipeline, {{index, drawn.lanes}});
        compute_all_at_root(whole);
        compute_all_at_root(split);
        Compiled plain(whole, target), lanes(split, target);
        for (const auto &[columns, rows] : {std::pair(1, 1), {2, 3}, {drawn.lanes, 2}, {131, 4}}) {
            const Sizes sizes{{{columns, rows}}, {{3, rows}}};
            INFO(columns << " x " << rows);
            CHECK(values(lanes.run(sizes)[0]) == values(plain.run(sizes)[0]));
            reduced++;
        }
    }
    CHECK(reduced > 0);
}

TEST_CASE("a report says what was reduced in lanes; what is none, and lanes that are no power of two") {
    const Program program = argmax_of_rows(Float(32), 4096, 64);
    const std::string name = Pipeline(program.outputs).get_func(1).name();
    Parameters parameters;
    parameters.parallelism = 4;
    const Scheduled s =
        schedule(Pipeline(program.outputs), Target("x86-64-linux-avx-avx2-fma"), parameters, false);
    CHECK(s.graph.changed ==
          std::vector<std::string>{name + " reduces Tuples: 16 lanes have results of their own, which are "
                                          "merged at the end (disable=reduce_in_lanes leaves it as it is)"});
    CHECK(grade(s.graph, s.planned.plan) == Grade::exact);

    const Program other = argmax_of_rows(Float(32), 4096, 64);
    CHECK_THROWS_WITH_AS(reduce_in_lanes(Pipeline(other.outputs), {{1, 12}}),
                         doctest::Contains("a power of two"), UserError);
    CHECK_THROWS_WITH_AS(reduce_in_lanes(Pipeline(other.outputs), {{2, 16}}),
                         doctest::Contains("is no Tuple of sums"), UserError);
}
