// A Func that goes over runs of the points of another, as a mask of bits does, in one nest with it: what the
// rule allows and refuses, the loops as text, and what they cost.

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>

#include "fusion/plan/shared_rows.h"
#include "fusion/rules/rule.h"
#include "fusion/rules/rules.h"
#include "tests/support/graphs.h"
#include "tests/support/machines.h"
#include "tests/support/rule_named.h"

using namespace eutectic;
using namespace eutectic::test;

namespace {

using Kind = Placement::Kind;

/** y(j, i) = relu(x(j, i)), and m(b, i), a bit for each of 8 columns of y. */
struct Relu {
    Sketch s;
    FuncId x, y, m;

    explicit Relu(int64_t columns = 1024, int64_t rows = 65536, int64_t bytes = 0) {
        x = s.input("x", {columns, rows});
        y = s.pointwise("y", {columns, rows}, {{x, {at(0), at(1)}}});
        m = s.pointwise("m", {bytes > 0 ? bytes : (columns + 7) / 8, rows}, {{y, {scaled(0, 8), at(1)}}},
                        work(16));
        s.func(m).bytes_per_point = s.func(m).element_bytes = 1;
        s.output(y);
        s.output(m);
    }
};

std::string refusal(const Sketch &s, FuncId func, FuncId root,
                    const std::function<void(Graph &, Placements &)> &change = {}) {
    Graph g = s.graph();
    Placements placements = unfused(g);
    if (change) {
        change(g, placements);
    }
    const std::vector<Site> sites = rule_named("write_rows_together").match(g, placements);
    const auto site = std::find_if(sites.begin(), sites.end(), [&](const Site &found) {
        return found.producer == func && found.consumers == std::vector<FuncId>{root};
    });
    return site == sites.end() ? "no site"
                               : rule_named("write_rows_together").legal(g, placements, *site).reason();
}

const Placement &at_of(const Placements &placements, FuncId f) {
    return placements[f];
}

}  // namespace

TEST_CASE("run_length: whole points of the other one, or none") {
    for (const auto &[columns, bytes, run] : std::vector<std::array<int64_t, 3>>{{64, 8, 8},
                                                                                 {65, 9, 8},
                                                                                 {63, 8, 8},
                                                                                 {1, 1, 1},
                                                                                 {64, 64, 1},
                                                                                 {64, 7, 0},
                                                                                 {64, 16, 0},
                                                                                 {64, 65, 0}}) {
        const Relu relu(columns, 4, bytes);
        const Graph g = relu.s.graph();
        CHECK(run_length(g, unfused(g), relu.m, relu.y) == run);
    }
    const Relu relu;
    Graph g = relu.s.graph();
    CHECK(run_length(g, unfused(g), relu.y, relu.m) == 0);
    CHECK(run_length(g, unfused(g), relu.m, relu.y) == 8);
    g.funcs[relu.m].extents[1] -= 1;
    CHECK(run_length(g, unfused(g), relu.m, relu.y) == 0);
}

TEST_CASE("runs: what reads the values of the other one recomputes them") {
    const Relu relu;
    CHECK(refusal(relu.s, relu.m, relu.y).empty());
    CHECK(refusal(relu.s, relu.y, relu.m) == "no site");
    const Graph g = relu.s.graph();
    const Placements next =
        rule_named("write_rows_together").candidates(g, unfused(g), {relu.m, {relu.y}}).front();
    CHECK(at_of(next, relu.m) == Placement{Kind::joint, relu.y});
    CHECK(at_of(next, relu.y) == Placement{Kind::root, -1});
    CHECK(recomputed_for(g, next, relu.m) == relu.y);
    CHECK(materialized(at_of(next, relu.m)));
}

TEST_CASE("runs: what is pure in blocks of the other one is inlined instead") {
    Sketch s;
    const FuncId x = s.input("x", {4096});
    const FuncId in = s.pointwise("in", {4096}, {{x, {at(0)}}});
    const FuncId y = s.pointwise("y", {4096}, {{in, {at(0)}}});
    const FuncId m = s.pointwise("m", {512}, {{y, {scaled(0, 8)}}}, work(16));
    s.output(y);
    s.output(m);
    const auto in_block = [&](Graph &, Placements &p) { p[in] = {Kind::block, y}; };
    CHECK(refusal(s, m, y, in_block).empty());
    const Graph g = s.graph();
    Placements before = unfused(g);
    before[in] = {Kind::block, y};
    const Placements next = rule_named("write_rows_together").candidates(g, before, {m, {y}}).front();
    CHECK(at_of(next, m) == Placement{Kind::joint, y});
    CHECK(at_of(next, in) == Placement{Kind::inlined, -1});
}

TEST_CASE("runs: a sentence, or nothing in common") {
    const Relu relu;
    CHECK(refusal(relu.s, relu.m, relu.y, [&](Graph &g, Placements &) {
              g.funcs[relu.m].user_scheduled = true;
          }) == "m carries a schedule of the user's, which is left as it is");
    CHECK(refusal(relu.s, relu.m, relu.y, [&](Graph &g, Placements &) { g.funcs[relu.y].tuple_size = 2; }) ==
          "y has several values, and would have to be recomputed for m one by one");
    CHECK(refusal(relu.s, relu.m, relu.y, [&](Graph &g, Placements &) { g.funcs[relu.y].output = false; }) ==
          "y is computed for nothing but what its own nest would write");
    CHECK(refusal(Relu(64, 32, 5).s, relu.m, relu.y) == "no site");

    // A product in the tiles of y is not recomputed for m.
    Sketch s;
    const FuncId a = s.input("a", {64, 32}), b = s.input("b", {64, 64});
    const FuncId c = s.matmul("c", a, b, 64, 32, 64);
    const FuncId y = s.pointwise("y", {64, 32}, {{c, {at(0), at(1)}}});
    const FuncId m = s.pointwise("m", {8, 32}, {{y, {scaled(0, 8), at(1)}}});
    s.output(y);
    s.output(m);
    CHECK(refusal(s, m, y, [&](Graph &, Placements &p) { p[c] = {Kind::at, y}; }) ==
          "y's loops hold c, and are its own");
    CHECK(refusal(s, m, y, [&](Graph &, Placements &p) { p[c] = {Kind::block, y}; }) ==
          "m goes over runs of the points of y, whose blocks serve only what goes over the same points");
    CHECK(refusal(s, m, y).empty());
    // Moved to the tiles afterwards, it leaves m a nest of its own.
    const Graph g = s.graph();
    Placements next = rule_named("write_rows_together").candidates(g, unfused(g), {m, {y}}).front();
    next[c] = {Kind::at, y};
    settle(g, next);
    CHECK(at_of(next, m) == Placement{Kind::root, -1});
    CHECK(at_of(next, c) == Placement{Kind::at, y});

    // What another Func at Root stands between is not recomputed.
    Relu between;
    const FuncId other = between.s.pointwise("other", {1024, 65536}, {{between.y, {shifted(0, 2), at(1)}}});
    const FuncId later = between.s.pointwise(
        "later", {128, 65536}, {{other, {scaled(0, 8), at(1)}}, {between.x, {scaled(0, 8), at(1)}}});
    between.s.output(other);
    between.s.output(later);
    CHECK(refusal(between.s, later, between.y) == "later is computed from what the same nest would write");
}

TEST_CASE("runs: the outer loops in common, or pieces of the only one") {
    const auto plan_of = [](const Relu &relu) {
        const Graph g = relu.s.graph();
        return to_string(complete(
            g, round_machine(),
            rule_named("write_rows_together").candidates(g, unfused(g), {relu.m, {relu.y}}).front()));
    };
    CHECK(plan_of(Relu(1000, 64)) ==
          "f0 inlined\nf2 in the nest of f1\ngroup f1: block\n  add f3 = recomputed of f1 with f2\n  f1 "
          "computed "
          "at root\n  f2 computed at root with f1 to loop 1\n"
          "  f1.-1: d1/16 parallel, d1, d0/16, d0 vector\n  f2.-1: d1/16 parallel, d1, d0/32, d0 vector\n");
    Sketch s;
    const FuncId x = s.input("x", {1 << 20});
    const FuncId y = s.pointwise("y", {1 << 20}, {{x, {at(0)}}});
    const FuncId m = s.pointwise("m", {1 << 17}, {{x, {scaled(0, 8)}}}, work(16));
    s.output(y);
    s.output(m);
    const Graph g = s.graph();
    CHECK(
        to_string(complete(g, round_machine(),
                           rule_named("write_rows_together").candidates(g, unfused(g), {m, {y}}).front())) ==
        "f0 inlined\nf2 in the nest of f1\ngroup f1: block\n  f1 computed at root\n  f2 computed at root "
        "with f1 to loop 1\n"
        "  f1.-1: d0/262144 parallel, d0/512, d0/16, d0 vector\n  f2.-1: d0/32768 parallel, d0/64, d0/16, d0 "
        "vector\n");
}

TEST_CASE("runs: rows are read from memory once, where they do not stay in a cache") {
    const Relu relu;
    const Graph g = relu.s.graph();
    const Planned planned = plan_greedy(g, round_machine(), cpu_rules());
    REQUIRE(planned.plan.groups.size() == 1);
    CHECK(at_of(planned.plan.placements, relu.m) == Placement{Kind::joint, relu.y});
    std::vector<Rule> without = cpu_rules();
    without.erase(std::remove_if(without.begin(), without.end(),
                                 [](const Rule &r) { return r.name == std::string("write_rows_together"); }),
                  without.end());
    CHECK(plan_greedy(g, round_machine(), without).plan.cost().total() > 1.2 * planned.plan.cost().total());
}
