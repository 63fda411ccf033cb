// The words of a report: names, loops, kinds of fusion, what a run starts, and what to write instead.

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "fusion/plan/grade.h"
#include "report/advice.h"
#include "report/arithmetic.h"
#include "report/gpu_facts.h"
#include "report/nest_text.h"
#include "report/report.h"
#include "report/totals.h"
#include "tests/support/graphs.h"
#include "tests/support/machines.h"
#include "tests/support/random_graph.h"
#include "tests/support/rounds.h"

using namespace eutectic;
using namespace eutectic::test;
using Kind = Placement::Kind;

namespace {

const Placement root = {Kind::root, -1}, inlined = {Kind::inlined, -1};

std::string kind(const Graph &graph, const std::vector<Placement> &placements, FuncId producer,
                 FuncId consumer) {
    return to_string(fusion_kind(graph, placements, producer, consumer));
}

Planned planned_as(const Graph &graph, const std::vector<Placement> &placements) {
    Planned planned;
    planned.plan = complete(graph, round_machine(), placements);
    planned.unfused = complete(graph, round_machine(), unfused(graph));
    return planned;
}

/** y = p + 1, after a view of a product p of n columns and m rows that `read` has the indices of. */
struct Viewed {
    Sketch s;
    FuncId p, view, y;
    Viewed(int64_t n, int64_t m, const Extents &extents, const Table<DimId, At> &read) {
        const FuncId a = s.input("a", {64, m}), b = s.input("b", {n, 64});
        p = s.matmul("p", a, b, n, m, 64);
        view = s.pointwise("view", extents, {{p, read}}, work(0));
        s.stage(view).role = Role::view;
        Table<DimId, At> own;
        for (const DimId d : extents.ids()) {
            own.push_back(at(d));
        }
        y = s.pointwise("y", extents, {{view, own}});
        s.output(y);
    }
    std::vector<std::string> advice() const {
        const Graph g = s.graph();
        return eutectic::advice(g, plan_greedy(g, round_machine(), cpu_rules()), round_machine());
    }
};

}  // namespace

TEST_CASE("the kind of a fusion follows from places, roles and coordinates") {
    Sketch s;
    const FuncId x = s.input("x", {100, 100}), p = s.pointwise("p", {100, 100}, {{x, {at(0), at(1)}}}),
                 same = s.pointwise("same", {100, 100}, {{p, {at(0), at(1)}}}),
                 turned = s.pointwise("turned", {100, 100}, {{p, {at(1), at(0)}}}),
                 near = s.pointwise("near", {98, 100}, {{p, {shifted(0, 2), at(1)}}}),
                 looked_up = s.pointwise("looked_up", {100}, {{p, {unknown(), at(0)}}}),
                 sum = s.reduction("sum", {100}, {100}, {{p, {at(1), at(0)}}}),
                 after = s.pointwise("after", {100}, {{sum, {at(0)}}});
    for (const FuncId f : {same, turned, near, looked_up, after}) {
        s.output(f);
    }
    Graph g = s.graph();
    std::vector<Placement> at_root(g.funcs.size(), root), away;
    at_root[x] = inlined;
    away = at_root;
    away[p] = inlined;
    away[sum] = {Kind::at, after};
    CHECK(kind(g, at_root, p, same) == "none");
    CHECK(kind(g, away, p, same) == "element-wise");
    CHECK(kind(g, away, p, turned) == "element-wise");
    CHECK(kind(g, away, p, near) == "producer-consumer");
    CHECK(kind(g, away, p, looked_up) == "producer-consumer");
    CHECK(kind(g, away, p, sum) == "into a reduction");
    CHECK(kind(g, away, sum, after) == "epilogue");
    away[p] = {Kind::block, same};
    CHECK(kind(g, away, p, same) == "loop");
    g.stages[g.funcs[p].stages.front()].role = Role::view;
    away[p] = inlined;
    CHECK(kind(g, away, p, same) == "view");
    CHECK(kind(g, away, p, sum) == "into a reduction");
    away[p] = root;
    away[same] = {Kind::joint, p};
    CHECK(kind(g, away, p, same) == "joint");
    CHECK(kind(g, away, p, turned) == "none");
}

TEST_CASE("names are the author's, and each is one Func's") {
    Sketch s;
    const FuncId x = s.input("x", {100}), w = s.input("w", {100}),
                 f = s.pointwise("x", {100}, {{x, {at(0)}}, {w, {at(0)}}});
    s.output(f);
    const Graph g = s.graph();
    const PlanNames names(g, plan_unfused(g, round_machine()).plan);
    CHECK(names[x] == "x");
    CHECK(names[f] == "x2");
    CHECK(names[w] == "w");
    CHECK(names.dim(w, 0) == "dim(0)");
    CHECK(names.dim(f, 0) == variable(g.pure_stage(f).dims, 0));
    for (uint64_t seed = 0; seed < rounds(60); seed++) {
        const Graph random = random_graph(seed);
        const FusionPlan plan = plan_greedy(random, round_machine(), cpu_rules()).plan;
        const PlanNames of(random, plan);
        std::set<std::string> all;
        size_t funcs = random.funcs.size();
        for (const FuncId i : random.funcs.ids()) {
            all.insert(of[i]);
        }
        for (const Group &group : plan.groups) {
            for (const Added &a : group.added) {
                all.insert(of[a.id]);
                funcs++;
                CHECK(of[a.id].find("_" + a.name) != std::string::npos);
            }
        }
        CHECK(all.size() == funcs);
    }
}

TEST_CASE("loops are told by variables, steps and turns, each stage under the loops that it is computed in") {
    const Graph g = dense(128, 784, 256);
    const FusionPlan plan = plan_greedy(g, round_machine(), cpu_rules()).plan;
    const PlanNames names(g, plan);
    const LoopTree &tree = plan.groups.at(0).tree;
    std::vector<std::string> texts;
    std::vector<int> depths;
    for (const StageNest &s : tree.nests()) {
        texts.push_back(nest_text(names, tree, s));
        depths.push_back(nesting(tree, s.func));
    }
    REQUIRE(texts.size() == 3);
    CHECK(texts[0] ==
          "relu: parallel d0 by 16 (16) unpartitioned, for d1 by 6 (22), unroll d1 (6), unroll d0 by 8 "
          "(2), vector d0 (8) | where relu.d0 >= 16, relu.d1 >= 6");
    CHECK(texts[1] == "matmul at d1 by 6 of relu: unroll d1 (6), unroll d0 by 8 (2), vector d0 (8)");
    CHECK(texts[2] == "matmul.update(0) at d1 by 6 of relu: for r2 (784), unroll d1 (6), unroll d0 by 8 (2), "
                      "vector d0 (8)");
    CHECK(depths == std::vector<int>{0, 1, 1});
}

TEST_CASE("what a run starts and allocates: nests, and buffers from the nest that writes them to the last "
          "that reads") {
    Sketch s;
    const FuncId x = s.input("x", {100}), a = s.pointwise("a", {100}, {{x, {at(0)}}}),
                 b = s.pointwise("b", {100}, {{a, {at(0)}}}), c = s.reduction("c", {}, {100}, {{b, {at(0)}}}),
                 y = s.pointwise("y", {100}, {{a, {at(0)}}, {c, {}}});
    s.output(y);
    const Graph g = s.graph();
    const auto of = [&](const std::vector<Placement> &placements) {
        return totals(g, complete(g, round_machine(), placements), round_machine());
    };
    const Totals apart = of({inlined, root, root, root, root});
    CHECK(apart.nests >= 5);  // c is set and summed up
    CHECK(apart.temporary_bytes >= 804);
    CHECK(apart.peak_bytes >= 804);  // a outlives b, which c reads
    CHECK(apart.peak_bytes <= apart.temporary_bytes);
    CHECK(apart.kernels == 0);
    const Totals fused = of({inlined, root, inlined, root, root});
    CHECK(fused.nests == apart.nests - 1);
    CHECK(fused.temporary_bytes < apart.temporary_bytes);
    CHECK(fused.peak_bytes < apart.peak_bytes);
    for (uint64_t seed = 0; seed < rounds(40); seed++) {
        const Graph random = random_graph(seed);
        const Planned planned = plan_greedy(random, round_machine(), cpu_rules());
        const Totals t = totals(random, planned.plan, round_machine());
        CHECK(t.peak_bytes <= t.temporary_bytes);
        CHECK(t.nests >= static_cast<int64_t>(planned.plan.groups.size()));
        CHECK(t.parallel_loops >= 0);
    }
    const Graph product = dense(1024, 1024, 1024);
    CHECK(totals(product, plan_unfused(product, round_machine()).plan, round_machine()).parallel_loops >= 3);
    CHECK(totals(product, plan_greedy(product, round_machine(), cpu_rules()).plan, round_machine())
              .parallel_loops == 1);
}

TEST_CASE(
    "a runner-up that the finished plan would be faster with is explained beside the price of the step") {
    const Graph g = dense(128, 784, 256);
    const Planned planned = plan_greedy(g, round_machine(), cpu_rules());
    const FuncId matmul = 2;
    REQUIRE(g.funcs[matmul].name == "matmul");
    for (const double after : {9e-6, 11e-6}) {
        const std::vector<EdgeDecision> edges =
            edge_decisions(g, planned, {{matmul, Kind::root, -1, 10e-6, after}});
        const bool said =
            edges.front().reason.find("; that was its price when it was weighed: with all else as it is "
                                      "in the finished plan, in memory is predicted to take 1.00 us "
                                      "less") != std::string::npos;
        CHECK(said == (after < 10e-6));
    }
    CHECK(place_text("in memory", "y") == "in memory, in the nest of y");
    CHECK(place_text("in block", "y") == "in block of y");
    CHECK(place_text("inlined", "") == "inlined");
}

TEST_CASE("edges that save another sum than the traffic say so") {
    Sketch s;
    const FuncId x = s.input("x", {4096}), p = s.pointwise("p", {4096}, {{x, {at(0)}}});
    s.output(s.pointwise("a", {4096}, {{p, {at(0)}}}));
    s.output(s.pointwise("b", {4096}, {{p, {at(0)}}}));
    const Graph g = s.graph();
    const Planned planned = planned_as(g, {inlined, inlined, root, root});
    CHECK(edges_saved_bytes(edge_decisions(g, planned)) == 3 * 4 * 4096);  // written once, read twice
    CHECK(traffic(g, planned.plan).saved_bytes == 2 * 4 * 4096);
}

TEST_CASE("every decision that is not exact is listed, and the furthest of them is the plan's grade") {
    for (uint64_t seed = 0; seed < rounds(60); seed++) {
        const Graph g = random_graph(seed);
        const FusionPlan plan = plan_greedy(g, round_machine(), cpu_rules()).plan;
        std::string worst = "exact";
        for (const ArithmeticChange &c : arithmetic_changes(g, plan)) {
            worst = worst == "reassociating" ? worst : c.grade;
            CHECK(c.why.size() > 20);
        }
        CHECK(worst == to_string(grade(g, plan)));
    }
    const Graph sum = [] {
        Sketch s;
        const FuncId x = s.input("x", {1 << 20});
        s.output(s.reduction("total", {}, {1 << 20}, {{x, {at(0)}}}));
        Graph g = s.graph();
        g.functions_in_vectors = true;
        return g;
    }();
    const std::vector<ArithmeticChange> changes =
        arithmetic_changes(sum, plan_greedy(sum, round_machine(), cpu_rules()).plan);
    REQUIRE(changes.size() >= 2);
    CHECK(changes.front().decision.find(", made of total") != std::string::npos);
    CHECK(changes.front().grade == "reassociating");
    CHECK(changes.back().grade == "reduced precision");
}

TEST_CASE("kernels of a GPU: the block's shape, and which buffers neighbouring threads access how") {
    Sketch s;
    const FuncId x = s.input("x", {4096, 4096}), b = s.input("b", {4096});
    s.output(s.pointwise("y", {4096, 4096}, {{x, {at(0), at(1)}}, {b, {at(1)}}}));
    const Graph g = s.graph();
    const FusionPlan plan = plan_greedy(g, round_gpu_machine(), gpu_rules()).plan;
    REQUIRE(plan.groups.size() == 1);
    const std::vector<KernelFacts> facts = kernel_facts(plan.groups[0]);
    REQUIRE(facts.size() == 1);
    CHECK(std::accumulate(facts[0].block.begin(), facts[0].block.end(), 1, std::multiplies<>()) ==
          plan.groups[0].kernels[0].resources.threads);
    const auto how = [](const std::vector<KernelAccess> &all, FuncId f) {
        const auto found =
            std::find_if(all.begin(), all.end(), [&](const KernelAccess &a) { return a.func == f; });
        return std::string(found == all.end() ? "" : found->how);
    };
    CHECK(how(facts[0].loads, x) == "coalesced");
    CHECK(how(facts[0].loads, b) == "broadcast");
    CHECK(how(facts[0].stores, 2) == "coalesced");
    const Graph product = dense(512, 512, 512);
    for (const Group &group : plan_greedy(product, round_gpu_machine(), gpu_rules()).plan.groups) {
        for (const KernelFacts &k : kernel_facts(group)) {
            CHECK(k.vector_width >= 1);
            CHECK_FALSE(k.loads.empty());
            CHECK(k.stores.size() == 1);
        }
    }
}

TEST_CASE("a view that merges dimensions of a product before a pointwise Func is in the way; a transposed "
          "one is not") {
    const int64_t n = 512, m = 512;
    const std::vector<std::string> merged =
        Viewed(n, m, {n * m}, {scaled(0, 1), scaled(0, 1.0 / n)}).advice();
    REQUIRE(merged.size() == 1);
    CHECK(
        merged[0].find(
            "view, which only rearranges p, stands between it and what reads it, and p stays in memory (") ==
        0);
    CHECK(merged[0].find(
              "): write the Funcs that read view in the coordinates of p, and rearrange their result, so "
              "that p can be computed at their tile; writing and reading its 1.00 MiB takes a predicted ") !=
          std::string::npos);
    CHECK(Viewed(n, m, {m, n}, {at(1), at(0)}).advice().empty());
    // Of what takes next to nothing nothing is said, nor where the view is what the caller wants.
    Viewed output(n, m, {n * m}, {scaled(0, 1), scaled(0, 1.0 / n)});
    output.s.output(output.view);
    CHECK(output.advice().empty());
    Viewed computes(n, m, {n * m}, {scaled(0, 1), scaled(0, 1.0 / n)});
    computes.s.stage(computes.view).role = Role::pointwise;
    CHECK(computes.advice().empty());
}

TEST_CASE("a transposed copy in memory of what nothing else reads could be defined so") {
    for (const bool also_read : {false, true}) {
        Sketch s;
        const int64_t n = 2048;
        const FuncId x = s.input("x", {n, n}), p = s.pointwise("p", {n, n}, {{x, {at(0), at(1)}}}, work(1)),
                     t = s.pointwise("t", {n, n}, {{p, {at(1), at(0)}}}, work(0)),
                     y = s.pointwise("y", {n, n}, {{t, {at(0), at(1)}}});
        s.stage(t).role = Role::view;
        s.output(y);
        std::vector<Placement> placements = {inlined, root, root, root};
        if (also_read) {
            s.output(s.pointwise("z", {n, n}, {{p, {at(0), at(1)}}}));
            placements.push_back(root);
        }
        const Graph g = s.graph();
        const std::vector<std::string> told = advice(g, planned_as(g, placements), round_machine());
        REQUIRE(told.size() == (also_read ? 0 : 1));
        if (!also_read) {
            CHECK(told[0].find(
                      "t is a transposed copy of p in memory, and nothing else reads p: define p with its "
                      "dimensions in the order of t and read it instead of t; the copy takes a predicted ") ==
                  0);
        }
    }
}

TEST_CASE("work behind a clamp that several points of a reader need could be done inside alone") {
    constexpr int64_t n = 128, m = 64;
    // Sums of neighbours of lit, which reads an image, or a Func that only keeps coordinates inside it.
    const auto told = [](bool clamps, bool wrapped, double flops, int taps) {
        Sketch s;
        const Extents wide = {n + taps - 1, m + taps - 1};
        const FuncId in = s.input("in", {n, m});
        const FuncId edge = wrapped ? s.pointwise("edge", wide, {{in, {at(0), at(1)}}}, work(0)) : in;
        const FuncId lit = s.pointwise("lit", wide, {{edge, {at(0), at(1)}}}, work(flops));
        std::vector<Read> neighbours;
        for (int i = 0; i < taps; i++) {
            neighbours.push_back({lit, {tap(0, i), tap(1, i)}});
        }
        s.output(s.pointwise("out", {n, m}, neighbours, work(taps)));
        if (wrapped) {
            s.stage(edge).role = Role::view;
        }
        Graph g = s.graph();
        for (const EdgeId e : g.edges.ids()) {
            for (Index &index : g.edges[e].access.indices) {
                index.cut = index.held = clamps && g.edges[e].producer == in;
                index.exact = !index.cut && index.exact;
            }
        }
        std::vector<Placement> placements(g.funcs.size(), root);
        placements[in] = inlined;
        if (wrapped) {
            placements[edge] = inlined;
        }
        return advice(g, planned_as(g, placements), round_machine());
    };
    const std::vector<std::string> plain = told(true, false, 1, 5), hidden = told(true, true, 1, 5);
    REQUIRE(plain.size() == 1);
    CHECK(
        plain[0].find("lit computes behind a clamp: at points beyond the edges once more, and with vectors "
                      "that the edges cut; define it over the points inside alone and put the clamp behind "
                      "it, as BoundaryConditions::repeat_edge(lit, …) does, if nothing else in it depends on "
                      "its coordinates; that saves a predicted ") == 0);
    REQUIRE(hidden.size() == 1);
    CHECK(hidden[0].find("lit computes behind a clamp, which edge hides: at points ") == 0);
    CHECK(told(false, false, 1, 5).empty());  // there is no clamp
    CHECK(told(true, true, 0, 5).empty());    // nothing is computed
    CHECK(told(true, true, 1, 1).empty());    // each point is read once
}
