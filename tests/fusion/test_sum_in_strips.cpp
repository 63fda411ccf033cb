// Sums in strips of the rows that a pure Func writes: what the rule allows and refuses, the loops of the
// policy as text, and what they cost.

#include <doctest/doctest.h>

#include <functional>

#include "fusion/plan/grade.h"
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

/** Of the gradient of a normalization by rows: y is x's gradient, s that of the scale. */
struct Rows {
    Sketch s;
    FuncId x, y, sum;

    /** `sum` over `over` of x at `at_x`. */
    Rows(int64_t columns, int64_t rows, const std::vector<int64_t> &over, const Table<DimId, At> &at_x) {
        x = s.input("x", {columns, rows});
        y = s.pointwise("y", {columns, rows}, {{x, {at(0), at(1)}}});
        sum = s.reduction("sum", {columns}, over, {{x, at_x}});
        s.output(y);
        s.output(sum);
    }
    explicit Rows(int64_t columns = 32, int64_t rows = 16) : Rows(columns, rows, {rows}, {at(0), at(1)}) {
    }
};

std::string refusal(Rows &rows, const std::function<void(Graph &, Placements &)> &change = {}) {
    Graph g = rows.s.graph();
    Placements placements = unfused(g);
    if (change) {
        change(g, placements);
    }
    return may_sum_in_strips(g, placements, rows.sum, rows.y).reason();
}

}  // namespace

TEST_CASE("sum_in_strips: sums over the rows that a pure Func reads too") {
    Rows plain;
    CHECK(refusal(plain).empty());
    const Graph g = plain.s.graph();
    const std::vector<Site> sites = rule_named("sum_in_strips").match(g, unfused(g));
    REQUIRE(sites.size() == 1);
    CHECK(sites[0].producer == plain.sum);
    CHECK(sites[0].consumers == std::vector<FuncId>{plain.y});
    CHECK(rule_named("sum_in_strips").legal(g, unfused(g), sites[0]));
    const Placements next = rule_named("sum_in_strips").candidates(g, unfused(g), sites[0]).front();
    CHECK(next[plain.sum] == Placement{Kind::strips, plain.y});
    CHECK(materialized(next[plain.sum]));

    // The order of terms is the program's under strict numerics.
    CHECK(refusal(plain, [](Graph &graph, Placements &) { graph.strict = true; }) ==
          "summing up sum strip by strip would round otherwise, which strict numerics forbid");
    CHECK(refusal(plain, [&](Graph &graph, Placements &) {
              graph.strict = true;
              graph.stages[graph.funcs[plain.sum].stages.back()].order_free = true;
          }).empty());
    CHECK(refusal(plain, [&](Graph &graph, Placements &) {
              graph.stages[graph.funcs[plain.sum].stages.back()].reassociable = false;
          }) == "sum is not known to be the same in any order of its terms");
    CHECK(refusal(plain, [&](Graph &graph, Placements &) { graph.funcs[plain.y].user_scheduled = true; }) ==
          "y carries a schedule of the user's, which is left as it is");
    CHECK(refusal(plain, [&](Graph &graph, Placements &) { graph.funcs[plain.sum].user_scheduled = true; }) ==
          "sum carries a schedule of the user's, which is left as it is");
    CHECK(refusal(plain, [&](Graph &graph, Placements &) {
              graph.funcs[plain.sum].own_buffer_reason = "is memoized, and keeps its buffer";
          }) == "sum is memoized, and keeps its buffer");
    CHECK(refusal(plain, [&](Graph &, Placements &placements) {
              placements[plain.y] = {Kind::inlined, -1};
          }) == "y, in strips of whose rows it would be summed up, is not at Root");
}

TEST_CASE("sum_in_strips: other rows, other Funcs, and what waits for what") {
    Rows along_columns(16, 16, {16}, {at(1), at(0)});
    CHECK(refusal(along_columns) == "sum reads no rows that y reads");
    Rows shifted_rows(32, 16, {16}, {at(0), shifted(1)});
    CHECK(refusal(shifted_rows) == "sum reads no rows that y reads");
    Rows fewer(32, 16, {8}, {at(0), at(1)});
    CHECK(refusal(fewer) == "sum reads no rows that y reads");

    Rows other;
    const FuncId z = other.s.input("z", {32, 16});
    other.sum = other.s.reduction("of_z", {32}, {16}, {{z, {at(0), at(1)}}});
    CHECK(refusal(other) == "of_z reads no rows that y reads");

    Rows after;
    after.sum = after.s.reduction("of_y", {32}, {16}, {{after.x, {at(0), at(1)}}, {after.y, {at(0), at(1)}}});
    after.s.output(after.sum);
    CHECK(refusal(after).empty());  // x and y of the same rows: y is recomputed
    Rows through;
    const FuncId scan = through.s.pointwise("scan", {32, 16}, {{through.y, {at(0), at(1)}}});
    through.sum =
        through.s.reduction("of_scan", {32}, {16}, {{through.x, {at(0), at(1)}}, {scan, {at(0), at(1)}}});
    through.s.output(through.sum);
    CHECK(refusal(through) == "of_scan is computed from what the same nest would write");
    CHECK(refusal(through, [&](Graph &, Placements &placements) {
              placements[scan] = {Kind::inlined, -1};
          }).empty());
    Rows before;
    before.y = before.s.pointwise("of_sum", {32, 16}, {{before.x, {at(0), at(1)}}, {before.sum, {at(0)}}});
    before.s.output(before.y);
    CHECK(refusal(before) == "of_sum is computed from what the same nest would write");

    Rows single;
    single.sum = single.s.reduction("total", {}, {32, 16}, {{single.x, {at(0), at(1)}}});
    CHECK(refusal(single) == "total is a single value: it has no row of sums for each strip");
    Rows pointwise;
    pointwise.sum = pointwise.s.pointwise("p", {32, 16}, {{pointwise.x, {at(0), at(1)}}});
    CHECK(refusal(pointwise) ==
          "p is not a single reduction of one value, which strips of rows could sum up in parts");
    Rows reduction;
    reduction.y = reduction.s.reduction("c", {32, 16}, {4}, {{reduction.x, {at(0), at(1)}}});
    CHECK(refusal(reduction) ==
          "c is not a pure Func of two dimensions or more, which strips of its rows could write");
}

TEST_CASE("sum_in_strips: loops that are tiles, or write something else, have no room") {
    Rows tiled;
    const FuncId tile = tiled.s.reduction("tile", {32, 16}, {4}, {{tiled.x, {at(0), at(1)}}});
    tiled.y = tiled.s.pointwise("z", {32, 16}, {{tiled.x, {at(0), at(1)}}, {tile, {at(0), at(1)}}});
    tiled.s.output(tiled.y);
    CHECK(refusal(tiled).empty());
    CHECK(refusal(tiled, [&](Graph &, Placements &placements) { placements[tile] = {Kind::at, tiled.y}; }) ==
          "z's loops are tiles, which hold tile");

    Rows two;
    const FuncId w = two.s.pointwise("w", {32, 16}, {{two.x, {at(0), at(1)}}});
    two.s.output(w);
    CHECK(refusal(two, [&](Graph &, Placements &placements) { placements[w] = {Kind::joint, two.y}; }) ==
          "y's loops also write w");
    // And the other way: a nest that has a sum in its strips writes nothing else.
    const Graph g = two.s.graph();
    Placements placements = unfused(g);
    placements[two.sum] = {Kind::strips, two.y};
    CHECK(may_sum_in_strips(g, placements, two.sum, two.y));
    CHECK(may_write_with(g, placements, w, two.y).reason() ==
          "sum is not a pure Func, whose points may be written in any order and with others");
}

TEST_CASE("sum_in_strips: a sum stays in strips of its rows when they get blocks, and leaves them when they "
          "get tiles") {
    Sketch s;
    const FuncId x = s.input("x", {32, 16});
    const FuncId of_row = s.reduction("of_row", {16}, {32}, {{x, {at(1), at(0)}}});
    const FuncId tile = s.reduction("tile", {32, 16}, {4}, {{x, {at(0), at(1)}}});
    const FuncId y =
        s.pointwise("y", {32, 16}, {{x, {at(0), at(1)}}, {of_row, {at(1)}}, {tile, {at(0), at(1)}}});
    const FuncId sum = s.reduction("sum", {32}, {16}, {{x, {at(0), at(1)}}});
    s.output(y);
    s.output(sum);
    const Graph g = s.graph();
    Placements placements = unfused(g);
    placements[sum] = {Kind::strips, y};
    REQUIRE(rule_named("tile_producer").legal(g, placements, {of_row, {y}}));
    const Placements blocks = rule_named("tile_producer").candidates(g, placements, {of_row, {y}}).front();
    CHECK(blocks[of_row] == Placement{Kind::block, y});
    CHECK(blocks[sum] == Placement{Kind::strips, y});
    REQUIRE(rule_named("fuse_on_write").legal(g, placements, {tile, {y}}));
    CHECK(rule_named("fuse_on_write").candidates(g, placements, {tile, {y}}).front()[sum] ==
          Placement{Kind::root, -1});
}

namespace {

/** Of the backward of a biased activation: d is the upstream, m a mask, z their product, b the bias's
 * gradient; `reader` reads z as a whole, if there is one. */
struct Masked {
    Sketch s;
    FuncId d, m, z, b, reader = -1;

    explicit Masked(int64_t columns = 32, int64_t rows = 16, bool read = true, bool output = false) {
        d = s.input("d", {columns, rows});
        m = s.input("m", {columns, rows});
        z = s.pointwise("z", {columns, rows}, {{d, {at(0), at(1)}}, {m, {at(0), at(1)}}}, work(1));
        b = s.reduction("b", {columns}, {rows}, {{z, {at(0), at(1)}}});
        s.output(b);
        if (read) {
            reader = s.reduction("reader", {rows}, {columns}, {{z, {at(1), at(0)}}});
            s.output(reader);
        }
        if (output) {
            s.output(z);
        }
    }
    std::string refusal(const std::function<void(Graph &, Placements &)> &change = {}) const {
        Graph g = s.graph();
        Placements placements = unfused(g);
        if (change) {
            change(g, placements);
        }
        return may_sum_in_strips(g, placements, b, z).reason();
    }
};

}  // namespace

TEST_CASE("sum_in_strips: a sum of what the rows are, which is recomputed for it") {
    const Masked plain;
    CHECK(plain.refusal().empty());
    const Graph g = plain.s.graph();
    const std::vector<Site> sites = rule_named("sum_in_strips").match(g, unfused(g));
    REQUIRE(sites.size() == 1);
    CHECK(sites[0].producer == plain.b);
    CHECK(sites[0].consumers == std::vector<FuncId>{plain.z});
    const Placements next = rule_named("sum_in_strips").candidates(g, unfused(g), sites[0]).front();
    CHECK(next[plain.b] == Placement{Kind::strips, plain.z});
    CHECK(recomputed_for(g, next, plain.b) == plain.z);
    CHECK(recomputed_for(g, next, plain.reader) < 0);
    CHECK(shared_rows(g, next, plain.b, plain.z).funcs == std::vector<FuncId>{plain.d, plain.m});
    // It reads what z reads, and z no more.
    REQUIRE(readers(g, next, plain.z).size() == 1);
    CHECK(readers(g, next, plain.z)[0].func == plain.reader);
    CHECK(readers(g, next, plain.d).size() == 2);

    CHECK(Masked(32, 16, false, true).refusal().empty());
    CHECK(Masked(32, 16, false).refusal() == "z is computed for nothing but what its own nest would write");
    CHECK(plain.refusal([&](Graph &graph, Placements &) { graph.funcs[plain.z].tuple_size = 2; }) ==
          "z has several values, and would have to be recomputed for b one by one");
}

TEST_CASE("sum_in_strips: what recomputing does to arithmetic") {
    const Masked plain;
    Graph g = plain.s.graph();
    const Placements placements = unfused(g);
    CHECK(grade_of_inlining(g, placements, plain.z, plain.b) == Grade::exact);  // integers
    g.stages[g.funcs[plain.z].stages.front()].result.products = true;
    for (Edge &e : g.edges) {
        const FuncId reader = g.stages[e.consumer].func;
        e.into.sums = e.producer == plain.z && reader == plain.b;
        e.into.quotients = e.producer == plain.z && reader == plain.reader;
    }
    CHECK(grade_of_inlining(g, placements, plain.z, plain.b) == Grade::contracting);
    CHECK(grade_of_inlining(g, placements, plain.z, plain.reader) == Grade::reassociating);
    g.strict = true;
    CHECK(grade_of_inlining(g, placements, plain.z, plain.b) == Grade::exact);
}

TEST_CASE("sum_in_strips: two sums of what the rows are keep no row alive; nor may one be computed from the "
          "other") {
    Masked two(32, 16, false);
    const FuncId c = two.s.reduction("c", {32}, {16}, {{two.z, {at(0), at(1)}}});
    two.s.output(c);
    CHECK(two.refusal().empty());  // c reads z
    CHECK(two.refusal([&](Graph &, Placements &placements) { placements[c] = {Kind::strips, two.z}; }) ==
          "z is computed for nothing but what its own nest would write");

    Masked chain(32, 16);
    const FuncId after =
        chain.s.reduction("after", {32}, {16}, {{chain.z, {at(0), at(1)}}, {chain.b, {at(0)}}});
    chain.s.output(after);
    const Graph g = chain.s.graph();
    Placements placements = unfused(g);
    placements[chain.b] = {Kind::strips, chain.z};
    CHECK(may_sum_in_strips(g, placements, after, chain.z).reason() ==
          "after is computed from what the same nest would write");
}

TEST_CASE("sum_in_strips: a sum that recomputes its rows leaves them when they get blocks") {
    Masked rows;
    const FuncId of_row = rows.s.reduction("of_row", {16}, {32}, {{rows.d, {at(1), at(0)}}});
    const FuncId y =
        rows.s.pointwise("y", {32, 16}, {{rows.d, {at(0), at(1)}}, {of_row, {at(1)}}}, work(0, 1));
    const FuncId sum = rows.s.reduction("sum", {32}, {16}, {{y, {at(0), at(1)}}});
    rows.s.output(y);
    rows.s.output(sum);
    const Graph g = rows.s.graph();
    Placements placements = unfused(g);
    placements[sum] = {Kind::strips, y};
    CHECK(may_compute_in_block(g, placements, of_row, y).reason().find("sum") != std::string::npos);
    REQUIRE(rule_named("tile_producer").legal(g, unfused(g), {of_row, {y}}));
}

TEST_CASE("rows and sums of what the rows are: recomputed from what a strip has read, where memory is "
          "what it waits for") {
    const Masked masked(1024, 65536, false, true);
    const Graph g = masked.s.graph();
    const Planned planned = plan_greedy(g, round_machine(), cpu_rules());
    REQUIRE(planned.plan.placements[masked.b] == Placement{Kind::strips, masked.z});
    // Apart d and m are read, z is written, which moves it twice, and read again: 5 parts, of which one is
    // saved.
    CHECK(planned.plan.cost().total() / planned.unfused.cost().total() == doctest::Approx(0.8).epsilon(0.05));
    const std::string text = to_string(planned.plan);
    INFO(text);
    CHECK(text.find(" = recomputed of f2 with f3\n") != std::string::npos);
    CHECK(text.find(" = recomputed of f2 with f3\n") < text.find(" = moved_sum of f3"));
    CHECK(text.find("moved_sum") < text.find("chunks"));

    // What stays in a cache is read again sooner than it is recomputed.
    Masked small(1024, 128, false, true);
    Graph dear = small.s.graph();
    dear.stages[dear.funcs[small.z].stages.front()].body.flops += 100;
    CHECK(plan_greedy(dear, round_machine(), cpu_rules()).plan.placements[small.b].kind != Kind::strips);
}

TEST_CASE("rows and sums: strips in parallel, partial sums for each, added up at the end") {
    Rows rows(1024, 1024);
    const Graph g = rows.s.graph();
    Placements placements = unfused(g);
    placements[rows.sum] = {Kind::strips, rows.y};
    const FusionPlan plan = complete(g, round_machine(), placements);
    CHECK(to_string(plan) ==
          "f0 inlined\nf2 in strips of f1\ngroup f1: rows_and_sums\n  add f3 = moved_sum of f2 "
          "(reassociating)\n  add f4 = chunks of f3 d1 / 32 chunks (reassociating)\n"
          "  f1 computed at root\n  f4 computed at root with f1 to loop 0\n  f3 computed at root\n  f2 "
          "computed at root\n"
          "  f1.-1: d1/32 parallel, d1, d0/16, d0 vector\n"
          "  f4.-1: d1 parallel, d0/16, d0/8 unroll, d0 vector\n"
          "  f4.0: d1 parallel, d2/4, d0/16, d2 unroll, d0/8 unroll, d0 vector\n"
          "  f3.-1: d0/16, d0/8 unroll, d0 vector\n  f3.0: d0/16, d1, d0/8 unroll, d0 vector\n"
          "  f2.-1: d0/16, d0/8 unroll, d0 vector\n");
}

TEST_CASE("rows and sums are read from memory once, where they do not stay in a cache") {
    Rows rows(1024, 65536);
    const Graph g = rows.s.graph();
    const Planned planned = plan_greedy(g, round_machine(), cpu_rules());
    CHECK(planned.plan.placements[rows.sum] == Placement{Kind::strips, rows.y});
    // Apart x is read twice and y written, which moves it twice: 4 parts, of which one is saved.
    CHECK(planned.plan.cost().total() / planned.unfused.cost().total() ==
          doctest::Approx(0.75).epsilon(0.05));
    // A few values are summed up where they are.
    Rows few(32, 16);
    const Graph small = few.s.graph();
    CHECK(plan_greedy(small, round_machine(), cpu_rules()).plan.placements[few.sum] ==
          Placement{Kind::root, -1});
}
