// Refusals of the rules that no ordinary pipeline leads to: each is there for what other rules, pins or users
// may have done before. scripts/mutate-rules turns every refusal off and expects a test that fails.

#include <doctest/doctest.h>

#include <string>

#include "fusion/rules/rule.h"
#include "fusion/rules/rules.h"
#include "fusion/search/completer.h"
#include "rule_table.h"
#include "tests/support/graphs.h"
#include "tests/support/rule_named.h"

using namespace eutectic;
using namespace eutectic::test;

namespace {

using Kind = Placement::Kind;

std::string why_not(const Verdict &verdict) {
    return verdict ? "allowed" : verdict.reason();
}

/** p(x, y) of an image, and what reads it at its own points. */
struct Pair {
    Sketch s;
    FuncId p, y;
    explicit Pair(const Extents &extents = {64, 32}) {
        Table<DimId, At> own;
        for (size_t d = 0; d < extents.size(); d++) {
            own.push_back(at(static_cast<int>(d)));
        }
        const FuncId x = s.input("x", extents);
        p = s.pointwise("p", extents, {{x, own}});
        y = s.pointwise("y", extents, {{p, own}});
        s.output(y);
    }
};

/** The row sums of an image, and what is written from the image beside them. */
struct RowSums {
    Sketch s;
    FuncId sum, y;
    RowSums() {
        const FuncId x = s.input("x", {64, 32});
        sum = s.reduction("sum", {64}, {32}, {{x, {at(0), at(1)}}});
        y = s.pointwise("y", {64, 32}, {{x, {at(0), at(1)}}});
        s.output(y);
        s.output(s.pointwise("z", {64}, {{sum, {at(0)}}}));
    }
};

}  // namespace

TEST_CASE("a tile of its reader: nothing computed as a whole, and a reader with loops of its own") {
    Sketch whole;
    const FuncId mm = add_matmul(whole);
    const FuncId y = whole.pointwise("y", {32, 16}, {{mm, {at(0), at(1)}}});
    whole.output(y);
    Graph g = whole.graph();
    CHECK(why_not(may_compute_at_tile(g, unfused(g), mm, y)) == "allowed");
    Placements inlined = unfused(g);
    inlined[y] = {Kind::inlined, -1};
    CHECK(why_not(may_compute_at_tile(g, inlined, mm, y)) ==
          "y, which reads mm, has no loops of its own to tile");
    whole.stage(mm).role = Role::opaque;
    whole.stage(mm).why_opaque = "its start is looked up";
    g = whole.graph();
    CHECK(why_not(may_compute_at_tile(g, unfused(g), mm, y)) ==
          "mm is computed as a whole, because its start is looked up");
    Sketch single;
    const FuncId x = single.input("x", {24});
    const FuncId sum = single.reduction("sum", {}, {24}, {{x, {at(0)}}});
    const FuncId root = single.pointwise("root", {}, {{sum, {}}});
    single.output(root);
    g = single.graph();
    CHECK(why_not(may_compute_at_tile(g, unfused(g), sum, root)) ==
          "root, which reads sum, is a single value: it has no tile to compute sum in");
}

TEST_CASE("inlining: a pure definition that nobody keeps, and no call of a library's") {
    Sketch sums;
    const FuncId mm = add_matmul(sums);
    sums.output(sums.pointwise("y", {32, 16}, {{mm, {at(0), at(1)}}}));
    Graph g = sums.graph();
    CHECK(why_not(may_inline(g, unfused(g), {mm, {}})) ==
          "mm has update definitions, which cannot be inlined");
    Pair pair;
    g = pair.s.graph();
    CHECK(why_not(may_inline(g, unfused(g), {pair.p, {pair.y}})) == "allowed");
    pair.s.func(pair.p).own_buffer_reason = "is stored in memory of its own";
    g = pair.s.graph();
    CHECK(why_not(may_leave_root(g, pair.p)) == "p is stored in memory of its own");
    pair.s.func(pair.p).own_buffer_reason = "";
    pair.s.stage(pair.p).external = true;
    g = pair.s.graph();
    CHECK(why_not(may_inline(g, unfused(g), {pair.p, {pair.y}})) ==
          "p is what a library computes, in memory");
}

TEST_CASE("sums in strips: of rows that a Func of its own writes") {
    RowSums rows;
    Graph g = rows.s.graph();
    CHECK(why_not(may_sum_in_strips(g, unfused(g), rows.sum, rows.y)) == "allowed");
    Placements inside = unfused(g);
    inside[rows.sum] = {Kind::block, rows.y};
    CHECK(why_not(may_sum_in_strips(g, inside, rows.sum, rows.y)) ==
          "sum is computed inside loops that need it at once");
    rows.s.func(rows.y).own_buffer_reason = "is stored in memory of its own";
    g = rows.s.graph();
    CHECK(why_not(may_sum_in_strips(g, unfused(g), rows.sum, rows.y)) == "y is stored in memory of its own");
}

TEST_CASE("blocks: of a root's own loops, for what is computed in parts") {
    Pair pair;
    Graph g = pair.s.graph();
    const auto in_block = [&] { return why_not(may_compute_in_block(g, unfused(g), pair.p, pair.y)); };
    CHECK(in_block() == "allowed");
    Placements placements = unfused(g);
    placements[pair.y] = {Kind::inlined, -1};
    CHECK(why_not(may_compute_in_block(g, placements, pair.p, pair.y)) ==
          "y, whose loops p would join, is not at Root");
    CHECK(why_not(rule_named("tile_producer").legal(g, unfused(g), {pair.p, {pair.y, pair.p}})) ==
          "p is read by 2 kernels, and a block of one of them cannot serve the others");
    pair.s.func(pair.p).between = "a rewrite computes it";
    g = pair.s.graph();
    CHECK(in_block() == "p stays inlined: a rewrite computes it");
    pair.s.func(pair.p).between = "";
    pair.s.stage(pair.y).external = true;
    g = pair.s.graph();
    CHECK(in_block() == "y is an extern stage, which takes p as a buffer");
}

TEST_CASE(
    "blocks: updates at places of their own everywhere are computed as a whole, and on devices all others") {
    RowSums rows;
    rows.s.output(rows.s.pointwise("w", {64}, {{rows.sum, {at(0)}}}));
    Graph g = rows.s.graph();
    const FuncId z = g.consumer_funcs(rows.sum).front();
    Placements one = unfused(g);
    for (const FuncId reader : g.consumer_funcs(rows.sum)) {
        one[reader] = reader == z ? one[reader] : Placement{Kind::joint, z};
    }
    CHECK(why_not(may_compute_in_block(g, one, rows.sum, z)) == "allowed");
    rows.s.stage(rows.sum, 0).own = DimFlags(2, false);
    g = rows.s.graph();
    CHECK(why_not(may_compute_in_block(g, one, rows.sum, z)) ==
          "sum has updates at coordinates of their own in every dimension, and is computed as a whole");
    g.gpu = true;
    g.stages[g.funcs[rows.sum].stages.back()].role = Role::scatter;
    CHECK(
        why_not(may_compute_in_block(g, one, rows.sum, z)) ==
        "sum is neither pure nor a single reduction without a condition on other data, and blocks of threads "
        "compute no others");
}

TEST_CASE("one nest for several: each written as a whole, in loops that nothing else has") {
    Pair pair;
    const FuncId x = pair.s.input("x2", {64, 32});
    const FuncId q = pair.s.pointwise("q", {64, 32}, {{x, {at(0), at(1)}}});
    pair.s.output(q);
    const FuncId single = pair.s.pointwise("single", {}, {{x, {fixed(), fixed()}}});
    pair.s.output(single);
    const Graph g = pair.s.graph();
    CHECK(why_not(may_write_with(g, unfused(g), q, pair.y)) == "allowed");
    CHECK(why_not(may_write_with(g, unfused(g), single, pair.y)) ==
          "single is a single value: it has no loops to share");
    Placements placements = unfused(g);
    placements[q] = {Kind::inlined, -1};
    CHECK(why_not(may_write_with(g, placements, q, pair.y)) == "q is not written as a whole");
}

TEST_CASE("one nest for several: not where sums in strips and blocks have its loops") {
    RowSums rows;
    const FuncId x = rows.s.input("x2", {64, 32});
    const FuncId p = rows.s.pointwise("p", {64, 32}, {{x, {at(0), at(1)}}});
    const FuncId q = rows.s.pointwise("q", {64, 32}, {{p, {at(0), at(1)}}, {p, {tap(0, 1), at(1)}}});
    rows.s.output(q);
    const Graph g = rows.s.graph();
    Placements placements = unfused(g);
    placements[rows.sum] = {Kind::strips, rows.y};
    placements[p] = {Kind::block, rows.y};
    CHECK(why_not(may_write_with(g, placements, q, rows.y)) ==
          "sum is summed up in strips of the rows of y, whose blocks then serve no other Func");
}
