// Decisions on a made-up GPU: what is one kernel, what its blocks are, and why a policy is not taken.

#include "gpu_plans.h"

#include <doctest/doctest.h>

#include <cmath>

#include "tests/support/graphs.h"
#include "tests/support/machines.h"

using namespace eutectic;
using namespace eutectic::test;

TEST_CASE("a chain of element-wise operations is one kernel") {
    Sketch s;
    FuncId f = s.input("x", {1 << 20});
    for (int i = 0; i < 5; i++) {
        f = s.pointwise("f" + std::to_string(i), {1 << 20}, {{f, {at(0)}}});
    }
    s.output(f);
    const Planned p = planned(s.graph());
    CHECK(policies(p.plan) == "gpu_points/1");
    CHECK(kernels(p.unfused) == 5);
    check_blocks(p.plan);
    check_blocks(p.unfused);
}

TEST_CASE("neighbouring threads compute neighbouring points") {
    for (const int64_t columns : {1 << 16, 1000, 37, 3}) {
        Sketch s;
        const FuncId x = s.input("x", {columns, 300});
        const FuncId y = s.pointwise("y", {columns, 300}, {{x, {at(0), at(1)}}});
        s.output(y);
        const FusionPlan plan = planned(s.graph()).plan;
        const Loops &loops = plan.groups[0].tree.funcs()[0].stages.at(0).loops;
        CHECK(loops.back().kind == Loop::Kind::gpu_thread);
        CHECK(loops.back().dim == 0);
    }
}

TEST_CASE("softmax is one kernel at any size") {
    for (const auto &[columns, rows] : std::vector<std::pair<int64_t, int64_t>>{
             {1000, 64}, {4096, 1024}, {10, 100000}, {100000, 10}, {1, 1}}) {
        const Planned p = planned(softmax(columns, rows));
        INFO(columns << " columns, " << rows << " rows\n" << to_string(p.plan));
        CHECK(kernels(p.plan) == 1);
        check_blocks(p.plan);
        check_blocks(p.unfused);
        CHECK(p.plan.groups[0].kernels[0].occupancy.blocks > 0);
    }
}

TEST_CASE("short rows share a block, long ones have many threads") {
    const auto shape = [](int64_t columns, int64_t rows) {
        const FusionPlan plan = planned(softmax(columns, rows)).plan;
        const Group &g = plan.groups[0];
        return std::make_pair(g.kernels[0].resources.threads,
                              static_cast<double>(rows) / g.kernels[0].blocks);
    };
    CHECK(shape(10, 100000).second >= 4);
    CHECK(shape(100000, 10).second == 1);
    CHECK(shape(100000, 10).first >= 256);
}

TEST_CASE("what grows with the caller's rows is never in shared memory") {
    // One row's exponentials fit at the estimates; at another size they would not.
    const Planned p = planned(softmax(1000, 64));
    for (const Group &g : p.plan.groups) {
        for (const TreeFunc &f : g.tree.funcs()) {
            CHECK((f.func != 2 || !f.computed));  // exps
        }
    }
}

TEST_CASE("a sum of everything is chunks, then their sum") {
    const Planned large = planned(sum_of_everything(1 << 24));
    CHECK(policies(large.plan).rfind("gpu_chunks/", 0) == 0);
    CHECK(large.plan.groups[0].kernels[0].blocks >= 10);
    // The number of chunks follows from the device alone, so that every run sums up in the same order.
    CHECK(to_string(large.plan) == to_string(planned(sum_of_everything(1 << 24)).plan));
    const Planned small = planned(sum_of_everything(100));
    CHECK(policies(small.plan).rfind("gpu_chunks/", 0) != 0);
}

TEST_CASE("what is read across its rows is turned in shared memory") {
    Sketch s;
    const FuncId x = s.input("x", {2000, 3000});
    const FuncId y = s.pointwise("y", {3000, 2000}, {{x, {at(1), at(0)}}});
    s.output(y);
    const Planned p = planned(s.graph());
    REQUIRE(policies(p.plan) == "gpu_turned/1");
    const std::string text = to_string(p.plan);
    INFO(text);
    CHECK(text.find("  f1.-1: d1/32 block, d0/32 block, d1/8 unroll, d1 thread, d0 thread\n") !=
          std::string::npos);
    CHECK(text.find(" computed at f1.-1 loop 1 in 33x32\n") != std::string::npos);
    CHECK(text.find(".-1: ^d0/32 block, ^d1/32 block, d1/8 unroll, d1 thread, d0 thread\n") !=
          std::string::npos);
    // Every byte passes once, whole sectors of it.
    CHECK(p.plan.groups[0].kernels[0].l2_bytes <= 2.1 * 4 * 2000 * 3000);
}

TEST_CASE("policies that are not taken say why, with numbers") {
    const auto refused = [](Graph graph, const Machine &m) {
        graph.gpu = true;
        std::string all;
        const FusionPlan plan = plan_greedy(graph, m, gpu_rules()).plan;
        for (const std::string &s : plan.groups.back().refused) {
            all += s + "\n";
        }
        return all;
    };
    const Machine m = round_gpu_machine();
    const std::string large = refused(dense(2048, 2048, 2048), m), small = refused(dense(2048, 4, 2048), m);
    INFO(large << small);
    CHECK(large.find("gpu_contraction would take ") != std::string::npos);
    CHECK(large.find(" past the first level\n") != std::string::npos);
    CHECK(small.find("gpu_shared_tile has tiles of at least 32 columns, 16 rows and 8 terms at once, of 2048 "
                     "columns, 2048 rows and 4 terms\n") != std::string::npos);
    Sketch s;
    const FuncId x = s.input("x", {2000, 3000});
    s.output(s.pointwise("y", {3000, 2000}, {{x, {at(1), at(0)}}}));
    Machine little = m;
    little.gpu->shared_bytes_per_block = 4096;
    CHECK(refused(s.graph(), m).find("gpu_points would take ") != std::string::npos);
    CHECK(refused(sum_of_everything(1 << 16), m)
              .find("gpu_shared_tile has tiles of two dims, and blocks for at most 2 more: sum has 0\n") !=
          std::string::npos);
    CHECK(refused(dense(64, 8192, 64), m).find("gpu_split_sum would take ") != std::string::npos);
    CHECK(refused(s.graph(), little)
              .find("gpu_turned would keep 4.12 KiB in shared memory, of which a block has 4.00 KiB\n") !=
          std::string::npos);
    Sketch rows;
    const FuncId in = rows.input("in", {100000, 10});
    rows.output(rows.reduction("sum", {10}, {100000}, {{in, {at(1), at(0)}}}));
    little.gpu->shared_bytes_per_block = 16;
    const std::string sums = refused(rows.graph(), little);
    INFO(sums);
    CHECK(sums.find(" or more in shared memory, of which a block has 16 B\n") != std::string::npos);
}

TEST_CASE("strict numerics keep the order of sums") {
    Graph g = softmax(1000, 64);
    g.strict = true;
    for (const Group &group : planned(g).plan.groups) {
        for (const Added &a : group.added) {
            CHECK(a.grade != Grade::reassociating);
        }
    }
}

TEST_CASE("an extern stage has no kernel") {
    Sketch s;
    const FuncId x = s.input("x", {100});
    const FuncId e = s.external("e", {100}, {x});
    s.output(e);
    const Planned p = planned(s.graph());
    CHECK(kernels(p.plan) == 0);
}

TEST_CASE("a group that no policy has loops for says why") {
    Graph g = softmax(100000, 16);  // its exponentials in memory of the block
    g.gpu = true;
    Placements placements = unfused(g);
    for (const FuncId f : {1, 2, 3}) {
        placements[f] = {Placement::Kind::block, 4};
    }
    const FusionPlan plan = complete(g, round_gpu_machine(), placements);
    REQUIRE(plan.groups.size() == 1);
    CHECK(plan.groups[0].tree.empty());
    CHECK(std::isinf(plan.groups[0].cost.total()));
    CHECK_FALSE(plan.groups[0].refused.empty());
}
