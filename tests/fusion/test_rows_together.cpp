// Rows that two Funcs of one nest need: what the rule allows and refuses, the loops of the policy as text,
// and what they cost.

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>

#include "fusion/rules/rule.h"
#include "fusion/rules/rules.h"
#include "tests/support/graphs.h"
#include "tests/support/machines.h"
#include "tests/support/rule_named.h"

using namespace eutectic;
using namespace eutectic::test;

namespace {

using Kind = Placement::Kind;

/** Of a loss and its gradient: e(j, i) = exp(x(j, i)), s(i) the sum of a row of it, loss(i) of s alone, y(j,
 * i) of both. */
struct Loss {
    Sketch s;
    FuncId x, e, sum, loss, y;

    explicit Loss(int64_t columns = 32, int64_t rows = 16) {
        x = s.input("x", {columns, rows});
        e = s.pointwise("e", {columns, rows}, {{x, {at(0), at(1)}}}, work(0, 0, 1));
        sum = s.reduction("sum", {rows}, {columns}, {{e, {at(1), at(0)}}});
        loss = s.pointwise("loss", {rows}, {{sum, {at(0)}}});
        y = s.pointwise("y", {columns, rows}, {{e, {at(0), at(1)}}, {sum, {at(1)}}}, work(0, 1));
        s.output(loss);
        s.output(y);
    }
};

std::vector<Site> sites_of(const Graph &g, const Placements &placements, FuncId func, FuncId root) {
    std::vector<Site> sites = rule_named("write_rows_together").match(g, placements);
    sites.erase(std::remove_if(sites.begin(), sites.end(),
                               [&](const Site &s) {
                                   return s.producer != func || s.consumers != std::vector<FuncId>{root};
                               }),
                sites.end());
    return sites;
}

std::string refusal(const Loss &loss, const std::function<void(Graph &, Placements &)> &change = {}) {
    Graph g = loss.s.graph();
    Placements placements = unfused(g);
    if (change) {
        change(g, placements);
    }
    const std::vector<Site> sites = sites_of(g, placements, loss.loss, loss.y);
    return sites.empty() ? "no site"
                         : rule_named("write_rows_together").legal(g, placements, sites.front()).reason();
}

const Placement &at_of(const Placements &placements, FuncId f) {
    return placements[f];
}

}  // namespace

TEST_CASE("write_rows_together: what only the two need is in blocks of the nest that writes both") {
    const Loss plain;
    CHECK(refusal(plain).empty());
    const Graph g = plain.s.graph();
    const Placements next =
        rule_named("write_rows_together").candidates(g, unfused(g), {plain.loss, {plain.y}}).front();
    CHECK(at_of(next, plain.loss) == Placement{Kind::joint, plain.y});
    CHECK(at_of(next, plain.sum) == Placement{Kind::block, plain.y});
    CHECK(at_of(next, plain.e) == Placement{Kind::block, plain.y});
    CHECK(materialized(at_of(next, plain.loss)));
    // Inlined into the sum and into y, e is no longer there, and the rest stays.
    REQUIRE(rule_named("inline_pointwise").match(g, next).size() +
                rule_named("fuse_on_read").match(g, next).size() >
            0);
    const Placements inlined = inline_producer(g, next, plain.e);
    CHECK(at_of(inlined, plain.sum) == Placement{Kind::block, plain.y});
    CHECK(at_of(inlined, plain.loss) == Placement{Kind::joint, plain.y});
    // Without blocks the rows of one are no loops of the other.
    Placements apart = next;
    for (const FuncId f : {plain.sum, plain.e}) {
        apart[f] = {Kind::root, -1};
    }
    settle(g, apart);
    CHECK(at_of(apart, plain.loss) == Placement{Kind::root, -1});
    CHECK(may_write_with(g, apart, plain.loss, plain.y).reason() ==
          "loss and y have other extents, so one nest would not fit both");
}

TEST_CASE("write_rows_together: a sentence, or no rows to share") {
    CHECK(refusal(Loss(), [](Graph &g, Placements &) { g.funcs[3].user_scheduled = true; }) ==
          "loss carries a schedule of the user's, which is left as it is");

    Loss read;  // by another kernel, too: no block could serve it
    const FuncId other = read.s.reduction("other", {32}, {16}, {{read.sum, {at(1)}}});
    read.s.output(other);
    CHECK(refusal(read) == "no site");

    Loss after;
    after.y = after.s.pointwise("z", {32, 16},
                                {{after.e, {at(0), at(1)}}, {after.loss, {at(1)}}, {after.sum, {at(1)}}});
    after.s.output(after.y);
    CHECK(refusal(after) == "no site");  // e and sum are y's, too
    Sketch chain;
    const FuncId x = chain.input("x", {32, 16});
    const FuncId sum = chain.reduction("sum", {16}, {32}, {{x, {at(1), at(0)}}});
    const FuncId loss = chain.pointwise("loss", {16}, {{sum, {at(0)}}});
    const FuncId y = chain.pointwise("y", {32, 16}, {{x, {at(0), at(1)}}, {sum, {at(1)}}, {loss, {at(1)}}});
    chain.output(loss);
    chain.output(y);
    const Graph g = chain.graph();
    const std::vector<Site> sites = sites_of(g, unfused(g), loss, y);
    REQUIRE(sites.size() == 1);
    CHECK(rule_named("write_rows_together").legal(g, unfused(g), sites[0]).reason() ==
          "y is computed from what the same nest would write");

    Loss columns;  // along the other dimension
    columns.loss = columns.s.pointwise("first", {32}, {{columns.sum, {fixed()}}});
    columns.s.output(columns.loss);
    CHECK(refusal(columns) == "no site");
}

TEST_CASE("write_rows_together: blocks whose rows are looked up serve one Func alone") {
    Sketch s;  // y(j, i) = e(j, at(i)) beside z(j, i) = e(j, i)
    const FuncId x = s.input("x", {32, 16});
    const FuncId e = s.pointwise("e", {32, 16}, {{x, {at(0), at(1)}}}, work(0, 0, 1));
    const FuncId z = s.pointwise("z", {32, 16}, {{e, {at(0), at(1)}}});
    const FuncId y = s.pointwise("y", {32, 16}, {{e, {at(0), unknown()}}});
    s.output(z);
    s.output(y);
    const Graph g = s.graph();
    Placements shared = unfused(g);
    shared[z] = {Kind::joint, y};
    CHECK(may_compute_in_block(g, shared, e, y).reason() ==
          "e is read at computed points, and y shares its loops: blocks that serve several Funcs compute "
          "what these read at known points");
    shared[e] = {Kind::block, y};
    settle(g, shared);
    CHECK((at_of(shared, z).kind != Kind::joint || at_of(shared, e).kind != Kind::block));

    Placements alone = unfused(g);
    alone[e] = {Kind::block, y};
    CHECK(may_write_with(g, alone, z, y).reason() ==
          "e, in blocks of the loops of y, is read at computed points, and serves no other Func there");
}

TEST_CASE("write_rows_together: a sum in strips of rows leaves no room") {
    Loss plain;
    const FuncId column = plain.s.reduction("column", {32}, {16}, {{plain.x, {at(0), at(1)}}});
    plain.s.output(column);
    const Graph g = plain.s.graph();
    const Placements next =
        rule_named("write_rows_together").candidates(g, unfused(g), {plain.loss, {plain.y}}).front();
    CHECK(may_sum_in_strips(g, next, column, plain.y).reason() == "y's loops also write loss");
    Placements beside = next;
    beside[column] = {Kind::strips, plain.y};
    settle(g, beside);
    CHECK(at_of(beside, column) == Placement{Kind::root, -1});
}

TEST_CASE("write_rows_together: one row at a time, the outer loops in common, buffers kept from row to row") {
    const Loss loss(1024, 64);
    const Graph g = loss.s.graph();
    const FusionPlan plan =
        complete(g, round_machine(),
                 rule_named("write_rows_together").candidates(g, unfused(g), {loss.loss, {loss.y}}).front());
    INFO(to_string(plan));
    CHECK(to_string(plan) ==
          "f0 inlined\nf1 in a block of f4\nf2 in a block of f4\nf3 in the nest of f4\ngroup f4: block\n  "
          "add f5 = lanes of f2 d1 / 64 (reassociating)\n"
          "  f4 computed at root\n  f1 computed at f4.-1 loop 1 kept from turn to turn\n  f2 computed at "
          "f4.-1 loop 1 kept from turn to turn\n"
          "  f5 computed at f2.0 loop 2 stored 1,0\n  f3 computed at root with f4 to loop 1\n"
          "  f4.-1: d1/16 parallel, d1, d0/16, d0 vector\n"
          "  f1.-1: ^d1 parallel, ^d1, d1, d0/16, d0 vector\n"
          "  f2.-1: ^d0 parallel, ^d0, d0\n  f2.0: ^d0 parallel, ^d0, d0, d1 vector\n"
          "  f5.-1: ^d0 parallel, ^d0, ^d0, d1/8 unroll, d1 vector\n  f5.0: ^d0 parallel, ^d0, ^d0, d2, "
          "d1/8 unroll, d1 vector\n"
          "  f3.-1: d0/16 parallel, d0\n");
}

TEST_CASE("rows that both need are read from memory once, where they do not stay in a cache") {
    const Loss loss(1024, 65536);
    const Graph g = loss.s.graph();
    const Planned planned = plan_greedy(g, round_machine(), cpu_rules());
    REQUIRE(planned.plan.groups.size() == 1);
    CHECK(at_of(planned.plan.placements, loss.loss) == Placement{Kind::joint, loss.y});
    CHECK(at_of(planned.plan.placements, loss.sum) == Placement{Kind::block, loss.y});
    std::vector<Rule> without = cpu_rules();
    without.erase(std::remove_if(without.begin(), without.end(),
                                 [](const Rule &r) { return r.name == std::string("write_rows_together"); }),
                  without.end());
    CHECK(plan_greedy(g, round_machine(), without).plan.cost().total() > 1.3 * planned.plan.cost().total());
}
