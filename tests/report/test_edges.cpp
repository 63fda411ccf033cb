// What the ledger says of each edge: bytes, what is recomputed, and what was next best.

#include <doctest/doctest.h>

#include <algorithm>

#include "base/units.h"
#include "report/report.h"
#include "tests/support/graphs.h"
#include "tests/support/machines.h"
#include "tests/support/random_graph.h"
#include "tests/support/rounds.h"

using namespace eutectic;
using namespace eutectic::test;
using Kind = Placement::Kind;

namespace {

/** The decisions of the plan with these placements, one a Func. */
std::vector<EdgeDecision> decisions(const Graph &graph, const std::vector<Placement> &placements) {
    Planned planned;
    planned.plan = complete(graph, round_machine(), placements);
    planned.unfused = complete(graph, round_machine(), unfused(graph));
    return edge_decisions(graph, planned);
}

const EdgeDecision &edge(const std::vector<EdgeDecision> &all, FuncId producer, FuncId consumer) {
    for (const EdgeDecision &e : all) {
        if (e.producer == producer && e.consumer == consumer) {
            return e;
        }
    }
    FAIL("no such edge");
    return all.front();
}

const Placement root = {Kind::root, -1}, inlined = {Kind::inlined, -1};

}  // namespace

TEST_CASE("one reader: written and read once in memory, neither when inlined") {
    Sketch s;
    const FuncId x = s.input("x", {100}), p = s.pointwise("p", {100}, {{x, {at(0)}}}, work(3)),
                 y = s.pointwise("y", {100}, {{p, {at(0)}}});
    s.output(y);
    const Graph g = s.graph();
    const std::vector<EdgeDecision> in_memory = decisions(g, {inlined, root, root}),
                                    away = decisions(g, {inlined, inlined, root});
    CHECK(edge(in_memory, p, y).unfused_bytes == 800);
    CHECK(edge(in_memory, p, y).fused_bytes == 800);
    CHECK(edge(away, p, y).unfused_bytes == 800);
    CHECK(edge(away, p, y).fused_bytes == 0);
    CHECK(edge(away, p, y).recomputed_operations == 0);
}

TEST_CASE("two readers share the writing; the second computes everything again") {
    Sketch s;
    const FuncId x = s.input("x", {101}), p = s.pointwise("p", {101}, {{x, {at(0)}}}, work(3, 1));
    const FuncId a = s.pointwise("a", {101}, {{p, {at(0)}}}), b = s.pointwise("b", {101}, {{p, {at(0)}}});
    s.output(a);
    s.output(b);
    const Graph g = s.graph();
    const std::vector<EdgeDecision> in_memory = decisions(g, {inlined, root, root, root}),
                                    away = decisions(g, {inlined, inlined, root, root});
    CHECK(edge(in_memory, p, a).unfused_bytes + edge(in_memory, p, b).unfused_bytes == 3 * 404);
    CHECK(edge(away, p, a).recomputed_operations == 0);
    CHECK(edge(away, p, b).recomputed_operations == 101 * 4);
}

TEST_CASE("a reader that is inlined reads wherever it is computed") {
    Sketch s;
    const FuncId x = s.input("x", {100}), p = s.pointwise("p", {100}, {{x, {at(0)}}}),
                 c = s.pointwise("c", {100}, {{p, {at(0)}}});
    const FuncId a = s.pointwise("a", {100}, {{c, {at(0)}}}), b = s.pointwise("b", {100}, {{c, {at(0)}}});
    s.output(a);
    s.output(b);
    const std::vector<EdgeDecision> all = decisions(s.graph(), {inlined, root, inlined, root, root});
    CHECK(edge(all, p, c).unfused_bytes == 800);
    CHECK(edge(all, p, c).fused_bytes == 1200);
    CHECK(edge(all, c, b).recomputed_operations == 100);
    // One nest reads it once for both.
    const std::vector<EdgeDecision> together =
        decisions(s.graph(), {inlined, root, inlined, {Kind::joint, b}, root});
    CHECK(edge(together, p, c).unfused_bytes == 800);
    CHECK(edge(together, p, c).fused_bytes == 800);
}

TEST_CASE("a nest that reads two parts reads both, and no more than there is") {
    Sketch s;
    const FuncId x = s.input("x", {100}), p = s.pointwise("p", {100}, {{x, {at(0)}}}),
                 c = s.pointwise("c", {100}, {{p, {at(0)}}});
    const FuncId a = s.pointwise("a", {40}, {{c, {at(0)}}}), b = s.pointwise("b", {40}, {{c, {shifted(0)}}});
    s.output(a);
    s.output(b);
    const Bytes apart = edge(decisions(s.graph(), {inlined, root, inlined, root, root}), p, c).fused_bytes;
    CHECK(apart >= 400 + 2 * 160);
    CHECK(edge(decisions(s.graph(), {inlined, root, inlined, {Kind::joint, b}, root}), p, c).fused_bytes ==
          std::min<Bytes>(apart, 800));
}

TEST_CASE("evaluations follow the loops that the coordinates depend on") {
    Sketch s;
    const FuncId x = s.input("x", {40}), p = s.pointwise("p", {40}, {{x, {at(0)}}}, work(2));
    const FuncId row = s.pointwise("row", {40, 8}, {{p, {at(0)}}});             // shared along the columns
    const FuncId sum = s.reduction("sum", {8}, {40}, {{row, {at(1), at(0)}}});  // once a point
    const FuncId near = s.pointwise("near", {36}, {{p, {shifted(0)}}, {p, {shifted(0)}}, {p, {shifted(0)}}},
                                    work(1));  // three times a point
    s.output(sum);
    s.output(near);
    const std::vector<EdgeDecision> all = decisions(s.graph(), {inlined, inlined, inlined, root, root});
    CHECK(edge(all, p, row).recomputed_operations == 0);
    CHECK(edge(all, row, sum).recomputed_operations == 0);
    CHECK(edge(all, p, near).recomputed_operations == 3 * 36 * 2);
    CHECK(edge(all, p, near).unfused_bytes == 80 + 160);  // no more than p holds
}

TEST_CASE("in a block what overlaps is recomputed, and nothing else is") {
    for (const double halo : {0.0, 2.0}) {
        INFO(halo);
        Sketch s;
        const int64_t n = 512;
        const FuncId x = s.input("x", {n, n + 2}), p = s.pointwise("p", {n, n + static_cast<int64_t>(halo)},
                                                                   {{x, {at(0), at(1)}}}, work(5));
        const FuncId q = s.pointwise("q", {n, n}, {{p, {at(0), shifted(1, halo)}}}),
                     y = s.pointwise("y", {n, n}, {{q, {at(0), at(1)}}});
        s.output(y);
        const std::vector<EdgeDecision> all =
            decisions(s.graph(), {inlined, {Kind::block, y}, {Kind::block, y}, root});
        CHECK(edge(all, p, q).fused_bytes == 0);
        CHECK((edge(all, p, q).recomputed_operations > 0) == (halo > 0));
        CHECK(edge(all, p, q).recomputed_operations < 5.0 * n * n * 2.01);
        CHECK(edge(all, q, y).recomputed_operations == 0);
    }
}

TEST_CASE("runners-up are other places, priced as whole plans") {
    for (uint64_t seed = 0; seed < rounds(40); seed++) {
        INFO(seed);
        const Graph g = random_graph(seed);
        const Planned planned = plan_greedy(g, round_machine(), cpu_rules());
        const std::vector<RunnerUp> all = runners_up(g, round_machine(), cpu_rules(), planned.plan);
        for (const RunnerUp &r : all) {
            const Placement &chosen = planned.plan.placements[r.func];
            CHECK_FALSE((r.kind == chosen.kind && r.consumer == chosen.consumer));
            CHECK_FALSE((materialized({r.kind, r.consumer}) && materialized(chosen)));
            CHECK(r.plan == doctest::Approx(planned.plan.cost().total()));
            CHECK_FALSE(g.funcs[r.func].output);
            CHECK(r.total > 0);
        }
        // What is not in memory can go back there.
        for (const FuncId f : g.funcs.ids()) {
            const bool away = !materialized(planned.plan.placements[f]) && !g.funcs[f].input;
            const bool listed =
                std::any_of(all.begin(), all.end(), [&](const RunnerUp &r) { return r.func == f; });
            CHECK((!away || listed));
        }
    }
}

TEST_CASE("the runner-up of what is inlined costs what the planner says") {
    const Graph g = dense(128, 784, 256);
    const Planned planned = plan_greedy(g, round_machine(), cpu_rules());
    const std::vector<RunnerUp> all = runners_up(g, round_machine(), cpu_rules(), planned.plan);
    REQUIRE(all.size() == 2);
    for (const RunnerUp &r : all) {
        CHECK(r.kind == Kind::root);
        Placements back = planned.plan.placements;
        for (const FuncId f : back.ids()) {
            const bool matmul_too = g.funcs[r.func].name == "z" && g.funcs[f].name == "matmul";
            back[f] = f == r.func ? root : matmul_too ? Placement{Kind::at, r.func} : back[f];
        }
        CHECK(complete(g, round_machine(), back).cost().total() == doctest::Approx(r.total));
    }
}

TEST_CASE("a reduction in two steps is told") {
    Sketch s;
    const FuncId x = s.input("x", {64, 8}),
                 partial = s.reduction("partial", {8}, {64}, {{x, {at(1), at(0)}}});
    const FuncId sum = s.reduction("sum", {}, {8}, {{partial, {at(0)}}});
    s.output(sum);
    const auto notes_of = [](const Graph &g) {
        return notes(g, plan_greedy(g, round_machine(), cpu_rules()).plan, round_machine());
    };
    CHECK(notes_of(s.graph()) ==
          std::vector<std::string>{"partial and sum are one reduction in two steps, as rfactor() leaves it: "
                                   "each is scheduled as it stands"});
    CHECK(notes_of(dense(8, 8, 8)).empty());
    CHECK(notes_of(softmax(8, 8)).empty());
}

TEST_CASE(
    "what runs on one core for longer than starting the others takes is told, with the seconds and why") {
    for (const int64_t length : {int64_t{4}, int64_t{1} << 20}) {
        Sketch s;
        const FuncId x = s.input("x", {length});
        const FuncId scan = s.reduction("scan", {}, {length}, {{x, {at(0)}}});
        s.output(scan);
        Graph g = s.graph();
        Stage &update = g.stages[g.funcs[scan].stages.back()];
        update.role = Role::scan;
        update.reassociable = update.order_free = false;
        update.why_opaque = "its update reads what it wrote at other coordinates (a scan)";
        const Machine m = round_machine();
        const FusionPlan plan = plan_greedy(g, m, cpu_rules()).plan;
        REQUIRE(plan.groups.size() == 1);
        CHECK(plan.groups[0].policy == "serial");
        const std::string sentence =
            "scan runs on one core, as it is defined, for " + format_seconds(plan.groups[0].cost.total()) +
            " by the model, since its update reads what it wrote at other coordinates (a scan)";
        CHECK(notes(g, plan, m) ==
              (length > 4 ? std::vector<std::string>{sentence} : std::vector<std::string>()));
    }
}
