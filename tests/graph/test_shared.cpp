// Expressions that share their parts, and pipelines of many Funcs. Whoever walks every path through them does
// not come back, so that most of these tests pass by ending. (Timings are no tests: visits are counted
// instead.)

#include <doctest/doctest.h>

#include "Halide.h"

#include "graph/read/shared.h"
#include "schedules/rewrites/patterns.h"
#include "tests/support/pipelines.h"

using namespace Halide;
using namespace eutectic;
using namespace eutectic::test;

namespace {

Var x("x"), y("y");

/** `n` times a * e + b * e: 3 n operations, 2^n paths. */
Expr doubled(Expr e, int n) {
    for (int i = 0; i < n; i++) {
        e = e * .5f + e * .25f;
    }
    return e;
}

/** `n` times exp(e) / (1 + e). */
Expr exponentials(Expr e, int n) {
    for (int i = 0; i < n; i++) {
        e = exp(e) / (1.f + e);
    }
    return e;
}

/** The graph of a single pure Func that is `e`. */
Graph graph_of_value(const Expr &e) {
    Func f("f");
    f(x, y) = e;
    estimate(f, {64, 64});
    return graph_of({f});
}

int nodes(const Expr &e) {
    int n = 0;
    for_each_node(e, [&](const Expr &) {
        n++;
        return true;
    });
    return n;
}

}  // namespace

TEST_CASE("an operation that is shared is counted once, however many paths lead to it") {
    const ImageParam in = image("in", {64, 64});
    for (const int n : {1, 24, 100}) {
        CAPTURE(n);
        const Graph g = graph_of_value(doubled(in(x, y), n));
        const eutectic::Stage &f = g.stages.back();
        CHECK(f.body.flops == 3 * n);
        CHECK(f.role == Role::pointwise);
        REQUIRE(g.edges.size() == 1);
        CHECK(g.edges[0].loads == 1);
        CHECK(g.edges[0].into.products);
    }
    const Graph g = graph_of_value(exponentials(in(x, y), 2000));
    CHECK(g.stages.back().body.transcendentals == 2000);
    CHECK(g.stages.back().body.divisions == 2000);
    CHECK(g.stages.back().body.flops == 2000);
}

TEST_CASE("what was written twice counts once, as what is shared does") {
    const ImageParam in = image("in", {64, 64});
    const Graph g = graph_of_value(doubled(in(x, y), 10) - doubled(in(x, y), 10) * 2.f);
    CHECK(g.stages.back().body.flops == 3 * 10 + 2);
}

TEST_CASE("sums of ten thousand terms are read, each load once") {
    const ImageParam in = image("in", {200, 200});
    Expr sum = 0.f;
    for (int i = 0; i < 10000; i++) {
        sum += in(x + i % 100, y + i / 100);
    }
    const Graph g = graph_of_value(sum);
    CHECK(g.edges.size() == 10000);
    CHECK(g.funcs[0].extents == Extents{163, 163});
}

TEST_CASE("shared conditions of choices") {
    const ImageParam in = image("in", {64, 64});
    Expr e = in(x, y);
    for (int i = 0; i < 100; i++) {
        e = select(e > 1.f, e * .5f, e + .25f);
    }
    const Graph g = graph_of_value(e);
    CHECK(g.stages.back().body.flops == 400);
    CHECK_FALSE(pattern_of<TwoSidesOfRows>(g.stages.back()));
    CHECK(g.stages.back().result.sums);
    CHECK(g.stages.back().result.products);
}

TEST_CASE("shared indices: analysed as long as they are small, else beyond analysis") {
    const ImageParam in = image("in", {4096, 64});
    for (const int n : {1, 24}) {
        CAPTURE(n);
        Expr index = x;
        for (int i = 0; i < n; i++) {
            index = index + index / 2 + y;
        }
        const Graph g = graph_of_value(in(clamp(index, 0, 4095), y));
        REQUIRE(g.edges.size() == 1);
        CHECK(g.edges[0].access.indices[0].affine == (n == 1));
        CHECK(g.edges[0].access.indices[0].depends_on(0));
        CHECK(g.edges[0].access.indices[0].depends_on(1));
        CHECK(g.edges[0].access.indices[1].equals_dim() == 1);
    }
}

TEST_CASE("shared terms of sums: still sums, with the term's own operations") {
    const ImageParam in = image("in", {64, 64}), w = image("w", {64});
    const RDom r(0, 64);
    Func sum("sum"), dot("dot");
    sum(y) += doubled(in(r, y), 100);
    dot(y) += doubled(in(r, y), 100) * w(r);
    estimate(sum, {64});
    estimate(dot, {64});
    const Graph s = graph_of({sum}), d = graph_of({dot});
    CHECK(s.stages.back().role == Role::reduction);
    CHECK(s.stages.back().reassociable);
    CHECK(s.stages.back().body.flops == 301);
    CHECK(d.stages.back().role == Role::contraction);
    CHECK(d.stages.back().multiply_accumulate);
}

TEST_CASE("shared terms of a maximum and of the sum that goes with it") {
    const ImageParam in = image("in", {64, 64});
    const RDom r(0, 64);
    const Expr term = doubled(in(r, y), 24);
    Func most("most"), sum("sum");
    most(y) = -1e30f;
    most(y) = max(most(y), term);
    sum(y) += exp(term - most(y));
    estimate(sum, {64});
    const Graph g = graph_of({sum});
    const auto *online = pattern_of<OnlineUpdate>(g.stages.back());
    REQUIRE(online);
    CHECK(g.funcs[online->maximum].name == "most");
}

TEST_CASE("products of one factor again and again: a power") {
    const ImageParam in = image("in", {64, 64});
    const RDom r(0, 64);
    Func scale("scale"), sum("sum");
    scale(y) = in(0, y) + 1.f;
    Expr power = in(r, y);
    for (int i = 0; i < 24; i++) {
        power = power * power;
    }
    sum(y) += power / scale(y);
    estimate(sum, {64});
    const Graph g = graph_of({sum});
    REQUIRE(pattern_of<LateDivision>(g.stages.back()));
    CHECK(g.stages.back().body.flops == 25);
}

TEST_CASE("a node is asked once, however many paths lead to it") {
    const Expr e = doubled(cast<float>(x), 24);
    int asked = 0;
    Contains contains([&](const Expr &) {
        asked++;
        return false;
    });
    CHECK_FALSE(contains(e));
    CHECK(asked == nodes(e));
    CHECK_FALSE(contains(e));
    CHECK(asked == nodes(e));
    CHECK(nodes(e) < 24 * 6);
    CHECK(uses_variable("x")(e));
    CHECK_FALSE(uses_variable("y")(e));
}

TEST_CASE("numbers of values: equal for equal expressions, shared or written twice") {
    const ImageParam in = image("in", {64, 64});
    ValueNumbers numbers;
    const int first = numbers(doubled(in(x, y), 24));
    CHECK(numbers(doubled(in(x, y), 24)) == first);
    CHECK(numbers(doubled(in(x, y), 23)) != first);
    CHECK(numbers(doubled(in(y, x), 24)) != first);
    CHECK(numbers(Expr(1.f)) != numbers(Expr(1)));
    CHECK(numbers(Expr(1)) != numbers(cast<uint8_t>(1)));
    CHECK(numbers(min(x, y)) != numbers(max(x, y)));
}

TEST_CASE("lets are written out and made again without a walk of every path") {
    const Expr e = doubled(cast<float>(x), 100);
    const Expr lets = with_lets(e);
    CHECK_FALSE(is_small(e));
    CHECK(is_small(lets));
    const int written_out = nodes(without_lets(lets));
    CHECK(written_out <= nodes(e));  // what is equal is shared by now
    const Expr at_y = substitute_shared({{"x", y}}, lets);
    CHECK(nodes(at_y) == written_out);
    CHECK_FALSE(uses_variable("x")(at_y));
    CHECK(is_small(with_lets(simplify_shared(e))));
}

TEST_CASE("a chain of a thousand Funcs") {
    const ImageParam in = image("in", {64, 64});
    Func last("first");
    last(x, y) = in(x, y);
    for (int i = 0; i < 1000; i++) {
        Func next("next");
        next(x, y) = last(x, y) * 2.f + 1.f;
        last = next;
    }
    estimate(last, {64, 64});
    const Graph g = graph_of({last});
    REQUIRE(g.funcs.size() == 1002);
    REQUIRE(g.edges.size() == 1001);
    for (FuncId f = 2; g.funcs.contains(f); f++) {
        CAPTURE(f);
        const eutectic::Stage &stage = g.pure_stage(f);
        REQUIRE(stage.body.flops == 2);
        REQUIRE(g.funcs[f].at_least[0] == BufferDim{1001, 0});
        REQUIRE(g.edges[stage.edges[0]].producer == f - 1);
    }
}
