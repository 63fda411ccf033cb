// The loops of a plan's nests: each there once, windows of a fixed size unrolled, and what Funcs that one
// nest writes share.

#include <doctest/doctest.h>

#include <set>

#include "fusion/plan/plan.h"
#include "fusion/rules/rule.h"
#include "tests/support/graphs.h"
#include "tests/support/machines.h"

using namespace eutectic;
using namespace eutectic::test;

TEST_CASE("no loop of a nest is there twice, however many cores there are") {
    Sketch s;
    const FuncId x = s.input("x", {64, 12, 16}), w = s.input("w", {48, 64, 16});
    s.output(
        s.contraction("c", {48, 12, 16}, {64}, {{x, {at(3), at(1), at(2)}}, {w, {at(0), at(3), at(2)}}}));
    const Graph g = s.graph();
    for (const int cores : {1, 2, 4, 12, 16, 32, 64, 128}) {
        Machine m = round_machine();
        m.cores = cores;
        const FusionPlan plan = complete(g, m, unfused(g));
        INFO(cores << "\n" << to_string(plan));
        for (const Group &group : plan.groups) {
            for (const StageNest &n : group.tree.nests()) {
                std::set<std::pair<DimId, int64_t>> seen;
                for (size_t l = n.nest.shared; l < n.nest.loops.size(); l++) {
                    CHECK(seen.insert({n.nest.loops[l].dim, n.nest.loops[l].size}).second);
                }
            }
        }
    }
}

TEST_CASE("a small window of fixed size is unrolled around its vectors") {
    for (const bool fixed : {true, false}) {
        Sketch s;
        const FuncId x = s.input("x", {64, 114, 114});
        At column = scaled(1, 2), row = scaled(2, 2);
        column.halo = row.halo = 2;
        s.output(s.reduction("y", {64, 56, 56}, {3, 3}, {{x, {at(0), column, row}}}));
        Graph g = s.graph();
        for (Dim &d : g.stages.back().dims) {
            d.constant = d.reduction && fixed;
        }
        const FusionPlan plan = complete(g, round_machine(), unfused(g));
        INFO(to_string(plan));
        const Group &group = plan.groups.back();
        CHECK((group.policy == "window") == fixed);
        int unrolled = 0;
        const StageNest last = group.tree.nests().back();
        for (const Loop &loop : last.nest.loops) {
            unrolled += loop.kind == Loop::Kind::unroll && loop.dim > 2 ? 1 : 0;
        }
        CHECK(unrolled == (fixed ? 2 : 0));
    }
}

TEST_CASE("a register tile of the means of small windows of fixed size unrolls the window, too") {
    for (const bool fixed : {true, false}) {
        Sketch s;
        const FuncId x = s.input("x", {64, 58, 58});
        const FuncId sum =
            s.reduction("sum", {64, 56, 56}, {3, 3}, {{x, {at(0), shifted(1, 2), shifted(2, 2)}}});
        s.output(s.pointwise("mean", {64, 56, 56}, {{sum, {at(0), at(1), at(2)}}}));
        Graph g = s.graph();
        for (Stage &stage : g.stages) {
            for (Dim &d : stage.dims) {
                d.constant = d.reduction && fixed;
            }
        }
        const FusionPlan plan = plan_greedy(g, round_machine(), cpu_rules()).plan;
        INFO(to_string(plan));
        int tile = 0, window = 0;
        for (const StageNest &n : plan.groups.back().tree.nests()) {
            for (const Loop &loop : n.nest.loops) {
                const bool unrolled = n.func == sum && n.update == 0 && loop.kind == Loop::Kind::unroll;
                tile += unrolled && loop.dim <= 2 ? 1 : 0;
                window += unrolled && loop.dim > 2 ? 1 : 0;
            }
        }
        CHECK(tile > 0);
        CHECK(window == (fixed ? 2 : 0));
    }
}

TEST_CASE("several Funcs in one nest: the same loops, meeting at every vector, or at every row where rows "
          "are cut into chunks") {
    const auto plan_of = [](const Extents &extents) {
        Sketch s;
        Table<DimId, At> all;
        for (const DimId d : extents.ids()) {
            all.push_back(at(d));
        }
        const FuncId x = s.input("x", extents);
        const FuncId a = s.pointwise("a", extents, {{x, all}}), b = s.pointwise("b", extents, {{x, all}});
        s.output(a);
        s.output(b);
        const Graph g = s.graph();
        Placements placements = unfused(g);
        placements[a] = {Placement::Kind::joint, b};
        return to_string(complete(g, round_machine(), placements));
    };
    CHECK(plan_of({1 << 20}) ==
          "f0 inlined\nf1 in the nest of f2\ngroup f2: streaming_together\n  f1 computed at root with f2 to "
          "loop 1\n  f2 computed at root\n"
          "  f1.-1: d0/262144 parallel, d0/16, d0 vector\n  f2.-1: d0/262144 parallel, d0/16, d0 vector\n");
    CHECK(
        plan_of({24, 40000}) ==
        "f0 inlined\nf1 in the nest of f2\ngroup f2: streaming_together\n  f1 computed at root with f2 to "
        "loop 1\n  f2 computed at root\n"
        "  f1.-1: d1/10000 parallel, d1, d0/8, d0 vector\n  f2.-1: d1/10000 parallel, d1, d0/8, d0 vector\n");
    // Chunks of whole rows that do not stay in the first level are none to meet in.
    CHECK(plan_of({1 << 16, 64}) ==
          "f0 inlined\nf1 in the nest of f2\ngroup f2: streaming_together\n  f1 computed at root with f2 to "
          "loop 2\n  f2 computed at root\n"
          "  f1.-1: d0/16384 parallel, d1, d0/16, d0 vector\n  f2.-1: d0/16384 parallel, d1, d0/16, d0 "
          "vector\n");
}

TEST_CASE("a nest for several Funcs costs what each computes, and reads once what they share") {
    Sketch s;
    const int64_t n = 1 << 24;
    const FuncId x = s.input("x", {n}), z = s.input("z", {n});
    const FuncId a = s.pointwise("a", {n}, {{x, {at(0)}}, {z, {at(0)}}}),
                 b = s.pointwise("b", {n}, {{x, {at(0)}}, {z, {at(0)}}});
    s.output(a);
    s.output(b);
    const Graph g = s.graph();
    Placements placements = unfused(g);
    const Cost apart = complete(g, round_machine(), placements).cost();
    placements[a] = {Placement::Kind::joint, b};
    const Cost together = complete(g, round_machine(), placements).cost();
    CHECK(together.compute <= apart.compute);
    CHECK(together.launch < apart.launch);
    // Stores move twice what they write: 6 of 8 parts of the traffic.
    CHECK((together.memory + together.compute) / (apart.memory + apart.compute) ==
          doctest::Approx(0.75).epsilon(0.05));
}
