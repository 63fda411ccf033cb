// Sums whose terms a maximum scales, as Halide has them: which are told to have both in one pass.

#include <doctest/doctest.h>

#include "Halide.h"

#include "graph/read/online_sum.h"
#include "schedules/rewrites/patterns.h"
#include "tests/support/pipelines.h"

using namespace Halide;
using namespace eutectic;
using namespace eutectic::test;

namespace {

/** m(i) = max of `value`, s(i) = sum of `term`; k is the reduction variable of both, unless `other` is that
 * of s. */
struct Rows {
    ImageParam x = image("x", {64, 16}), w = image("w", {64, 16});
    Var i{"i"}, j{"j"};
    RDom k{0, 64, "k"}, other{0, 64, "other"};
    Func m{"m"}, s{"s"};

    void maximum(const Expr &value, const Expr &start = Float(32).min()) {
        m(i) = start;
        m(i) = max(m(i), value);
    }
    bool online(const Expr &term) {
        s(i) += term;
        const std::optional<OnlineSum> found = online_sum(s.function());
        CHECK((!found || found->maximum.name() == m.name()));
        return found.has_value();
    }
};

}  // namespace

TEST_CASE("one pass: exponentials of what the maximum is of, however they are written") {
    const auto found = [](const std::function<Expr(Rows &)> &define) {
        Rows rows;
        return rows.online(define(rows));
    };
    CHECK(found([](Rows &r) {
        r.maximum(r.x(r.k, r.i));
        return exp(r.x(r.k, r.i) - r.m(r.i));
    }));
    CHECK(found([](Rows &r) {  // another variable of the same extent, a weight on either side, a divisor
        r.maximum(2 * r.x(r.k, r.i));
        return r.w(r.other, r.i) * exp(2 * r.x(r.other, r.i) - r.m(r.i)) * 3.0f / r.w(0, r.i);
    }));
    CHECK(found([](Rows &r) {  // written in Funcs
        r.maximum(r.x(r.k, r.i));
        Func centred("centred"), e("e"), weighted("weighted");
        centred(r.j, r.i) = r.x(r.j, r.i) - r.m(r.i);
        e(r.j, r.i) = exp(centred(r.j, r.i));
        weighted(r.j, r.i) = e(r.j, r.i) * r.w(r.j, r.i);
        return weighted(r.k, r.i);
    }));
    CHECK(found([](Rows &r) {  // of a Func
        Func scores("scores");
        scores(r.j, r.i) = r.x(r.j, r.i) + r.w(r.j, r.i);
        r.maximum(scores(r.k, r.i), -1e30f);
        return exp(scores(r.k, r.i) - r.m(r.i));
    }));
}

TEST_CASE("one pass: not of other values, other rows, other terms") {
    const auto found = [](const std::function<Expr(Rows &)> &define) {
        Rows rows;
        return rows.online(define(rows));
    };
    CHECK_FALSE(found([](Rows &r) {
        r.maximum(r.w(r.k, r.i));
        return exp(r.x(r.k, r.i) - r.m(r.i));
    }));
    CHECK_FALSE(found([](Rows &r) {
        r.maximum(r.x(r.k, r.i));
        return exp(r.x(r.k, r.i) - r.m(0));
    }));
    CHECK_FALSE(found([](Rows &r) {
        r.maximum(r.x(r.k, r.i));
        return exp(r.m(r.i) - r.x(r.k, r.i));
    }));
    CHECK_FALSE(found([](Rows &r) {
        r.maximum(r.x(r.k, r.i));
        return exp(r.x(r.k, r.i) - r.m(r.i)) + 1.0f;
    }));
    CHECK_FALSE(found([](Rows &r) {  // a weight that needs the maximum
        r.maximum(r.x(r.k, r.i));
        return exp(r.x(r.k, r.i) - r.m(r.i)) * r.m(r.i);
    }));
    CHECK_FALSE(found([](Rows &r) {  // and one that does through a sum
        r.maximum(r.x(r.k, r.i));
        Func total("total");
        total(r.i) += exp(r.x(r.other, r.i) - r.m(r.i));
        return exp(r.x(r.k, r.i) - r.m(r.i)) / total(r.i);
    }));
    CHECK_FALSE(found([](Rows &r) {
        r.maximum(r.x(RDom(1, 63, "shorter"), r.i));
        return exp(r.x(r.k, r.i) - r.m(r.i));
    }));
    CHECK_FALSE(found([](Rows &r) {
        r.k.where(r.k % 2 == 0);
        r.maximum(r.x(r.k, r.i));
        return exp(r.x(r.k, r.i) - r.m(r.i));
    }));
    CHECK_FALSE(found([](Rows &r) {  // of that, every exponential is 0
        r.maximum(r.x(r.k, r.i), Float(32).max());
        return exp(r.x(r.k, r.i) - r.m(r.i));
    }));
    CHECK_FALSE(found([](Rows &r) {
        r.m(r.i) = 0.0f;
        r.m(r.i) = min(r.m(r.i), r.x(r.k, r.i));
        return exp(r.x(r.k, r.i) - r.m(r.i));
    }));
}

TEST_CASE("one pass in the graph: what it loads and computes") {
    Rows r;
    r.maximum(r.x(r.k, r.i));
    Func e("e"), y("y");
    e(r.j, r.i) = exp(r.x(r.j, r.i) - r.m(r.i));
    r.s(r.i) += e(r.k, r.i);
    y(r.j, r.i) = e(r.j, r.i) / r.s(r.i);
    estimate(y, {64, 16});
    const Graph g = graph_of({y});
    FuncId sum = -1;
    for (const FuncId f : g.funcs.ids()) {
        sum = g.funcs[f].name == "s" ? f : sum;
    }
    REQUIRE(sum >= 0);
    const auto *online = pattern_of<OnlineUpdate>(g.last_stage(sum));
    REQUIRE(online);
    CHECK(g.funcs[online->maximum].name == "m");
    REQUIRE(online->update.edges.size() == 1);
    CHECK(g.funcs[online->update.edges[0].producer].input);
    CHECK(online->update.body.transcendentals == 1);  // that of the other operand is 1, and is not computed
    CHECK(online->merge.transcendentals == 1);
}
