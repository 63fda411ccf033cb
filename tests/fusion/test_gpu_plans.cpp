// Decisions on a made-up GPU: what is one kernel, and what its blocks are.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "base/user_error.h"
#include "fusion/policies/gpu/gpu.h"
#include "fusion/rules/rule.h"
#include "tests/support/graphs.h"
#include "tests/support/machines.h"

using namespace eutectic;
using namespace eutectic::test;

namespace {

Planned planned(Graph graph) {
    graph.gpu = true;
    return plan_greedy(graph, round_gpu_machine(), gpu_rules());
}

size_t kernels(const FusionPlan &plan) {
    size_t n = 0;
    for (const Group &g : plan.groups) {
        n += g.kernels.size();
    }
    return n;
}

/** "policy/kernels" of each group. */
std::string policies(const FusionPlan &plan) {
    std::string text;
    for (const Group &g : plan.groups) {
        text += (text.empty() ? "" : " ") + g.policy + "/" + std::to_string(g.kernels.size());
    }
    return text;
}

/** Every loop nest at Root is one over blocks, whatever the policy. */
void check_blocks(const FusionPlan &plan) {
    for (const Group &g : plan.groups) {
        for (const StageNest &s : g.nests) {
            const bool blocks = !s.nest.loops.empty() && s.nest.loops.front().kind == Loop::Kind::gpu_block;
            INFO(to_string(s.nest));
            CHECK(blocks);
        }
    }
}

Graph sum_of_everything(int64_t n) {
    Sketch s;
    const FuncId x = s.input("x", {n});
    const FuncId sum = s.reduction("sum", {}, {n}, {{x, {at(0)}}});
    s.output(sum);
    return s.graph();
}

}  // namespace

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
        const std::vector<Loop> &loops = plan.groups[0].nests[0].nest.loops;
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
        for (const Computed &c : g.computed) {
            CHECK((c.func != 2 || c.consumer < 0));  // exps
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

TEST_CASE("a large product shares its operands in a block's memory") {
    const Planned p = planned(dense(2048, 2048, 2048));
    REQUIRE(policies(p.plan) == "gpu_shared_tile/1");
    const Group &g = p.plan.groups[0];
    const std::string text = to_string(p.plan);
    for (const char *line :
         {"  f2 computed at f5.-1 loop 1 in 128x128 by each thread\n",
          "  f43 computed at f2.0 loop 2 stored 1,0 in 16x132\n", "  f44 computed at f2.0 loop 2 in 128x16\n",
          "  f5.-1: d1/128 block, d0/128 block, d1/16 thread, d0/4 thread, d1 unroll, d0 unroll | whole "
          "5.0>=128, 5.1>=128\n",
          "  f2.0: ^d1/128 block, ^d0/128 block, d2/16 step, d1/16 thread, d0/4 thread, d2/8, d2 unroll, d1 "
          "unroll, d0 unroll | whole 5.0>=128, 5.1>=128\n",
          "  f43.-1: ^d1/128 block, ^d-1/16 block, ^d0/16 step, d1/8 unroll, d1 thread, d0 thread\n"}) {
        INFO(text);
        CHECK(text.find(line) != std::string::npos);
    }
    // Both operands are copied in steps that all threads take together; the copy that is turned has a pitch
    // that spreads its rows over the banks.
    size_t copies = 0;
    for (const Computed &c : g.computed) {
        const bool copy = !c.allocated.empty() && !c.by_threads;
        copies += copy ? 1 : 0;
        CHECK((!copy || c.storage.empty() || c.allocated[static_cast<size_t>(c.storage[0])] % 32 == 4));
    }
    CHECK(copies == 2);
    const KernelPrice &k = g.kernels[0];
    CHECK(k.resources.shared_bytes <= round_gpu().shared_bytes_per_block);
    CHECK(k.resources.registers <= 255);
    CHECK(k.occupancy.blocks > 0);
    // The operands pass the second level once for each row or column of tiles, not for each thread.
    const double tiles = k.blocks;
    CHECK(k.l2_bytes < 4.0 * 2 * 2048 * 2048 * std::sqrt(tiles) * 1.5 + 4.0 * 2048 * 2048 * 2);
}

TEST_CASE("small products and those of short sums keep their operands where they are") {
    CHECK(policies(planned(dense(16, 64, 16)).plan).find("gpu_shared_tile") == std::string::npos);
    CHECK(policies(planned(dense(2048, 4, 2048)).plan).find("gpu_shared_tile") == std::string::npos);
}

TEST_CASE("few sums of many terms are cut into chunks, then added up") {
    Sketch s;
    const FuncId a = s.input("a", {8192, 32}), b = s.input("b", {32, 8192});
    s.output(s.matmul("c", a, b, 32, 32, 8192));
    const std::vector<const char *> product = {
        "  add f39 = chunks of f2 d2 / 1024 chunks (reassociating)\n  add f46 = write_tile of f39\n",
        "  add f36 = moved_sum of f2\n",
        "  f46.-1: d2 block, d1/32 block, d0/32 block, d1/4 thread, d0/4 thread, d1 unroll, d0 unroll | "
        "whole 2.0>=32, 2.1>=32\n",
        "  f39.0: ^d2 block, ^d1/32 block, ^d0/32 block, d3/64 step, d1/4 thread, d0/4 thread, d3/8, d3 "
        "unroll, d1 unroll, d0 unroll | whole 2.0>=32, 2.1>=32\n",
        "  f36.0: ^d1/16 block, ^d0/8 block, ^d1/4 thread, ^d0 thread, d2, d1 unroll\n  kernel of 8 x 64 "
        "threads\n  kernel of 8 x 32 threads\n"};
    const std::vector<const char *> with_epilogue = {
        "f2 at f5\n",
        "  add f42 = chunks of f2 d2 / 1024 chunks (reassociating)\n  add f49 = write_tile of f42\n",
        "  f42 computed at f49.-1 loop 2 in 32x32x1 by each thread\n",
        "  f44.-1: ^d-1/8 block, ^d-1 block, ^d0/32 block, ^d1/64 step, d1/8 unroll, d0/8 unroll, d1 thread, "
        "d0 thread\n",
        "  f2.0: ^d1/16 block, ^d0/8 block, ^d1/4 thread, ^d0 thread, d2, d1 unroll\n  kernel of 8 x 64 "
        "threads\n  kernel of 8 x 32 threads\n"};
    for (const Graph &g : {s.graph(), dense(32, 8192, 32)}) {
        const Planned p = planned(g);
        const std::string text = to_string(p.plan);
        INFO(text);
        REQUIRE(policies(p.plan) == "gpu_split_sum/2");
        const bool output = g.funcs.size() == 3;
        for (const char *line : output ? product : with_epilogue) {
            CHECK(text.find(line) != std::string::npos);
        }
        const Group &group = p.plan.groups[0];
        CHECK(group.added[0].keep_outer);
        CHECK(group.added[0].factor % 32 == 0);
        CHECK(group.kernels[0].blocks >= 8);
        CHECK(text == to_string(planned(g).plan));
    }
    CHECK(policies(planned(dense(64, 64, 64)).plan).find("gpu_split_sum") == std::string::npos);
    CHECK(policies(planned(dense(2048, 8192, 2048)).plan).find("gpu_split_sum") == std::string::npos);
    Graph strict = dense(32, 8192, 32);
    strict.strict = true;
    CHECK(policies(planned(strict).plan).find("gpu_split_sum") == std::string::npos);
}

namespace {

/** Attention once its scores are in memory: c(j, i) += softmax(x)(k, i) * v(j, k), y = f(c). */
Graph weighted_sum(int64_t columns, int64_t rows, int64_t terms) {
    Sketch s;
    const FuncId x = s.input("x", {terms, rows}), v = s.input("v", {columns, terms});
    const FuncId largest = s.reduction("largest", {rows}, {terms}, {{x, {at(1), at(0)}}});
    const FuncId e =
        s.pointwise("e", {terms, rows}, {{x, {at(0), at(1)}}, {largest, {at(1)}}}, work(1, 0, 1));
    const FuncId sum = s.reduction("sum", {rows}, {terms}, {{e, {at(1), at(0)}}});
    const FuncId weights =
        s.pointwise("weights", {terms, rows}, {{e, {at(0), at(1)}}, {sum, {at(1)}}}, work(0, 1));
    const FuncId c = s.matmul("c", weights, v, columns, rows, terms);
    s.output(s.pointwise("y", {columns, rows}, {{c, {at(0), at(1)}}}));
    return s.graph();
}

}  // namespace

TEST_CASE("a product computes what its terms need of each row in its own kernel") {
    const Planned p = planned(weighted_sum(64, 512, 512));
    const std::string text = to_string(p.plan);
    INFO(text);
    REQUIRE(policies(p.plan) == "gpu_shared_tile/1");
    CHECK(kernels(p.unfused) == 6);
    CHECK(text.find("f2 in a block of f7\n") != std::string::npos);
    CHECK(text.find("f4 in a block of f7\n") != std::string::npos);
    // Copies, made anew in each step, and values of rows, which last for all steps, have their own room.
    const Group &g = p.plan.groups[0];
    size_t copies = 0, rows = 0;
    for (const Computed &c : g.computed) {
        const bool copy = std::any_of(g.added.begin(), g.added.end(), [&](const Added &a) {
            return a.id == c.func && a.kind == Added::Kind::pack;
        });
        copies += copy ? 1 : 0;
        rows += c.func == 2 || c.func == 4 ? 1 : 0;
        CHECK((c.hoisted >= 0) == copy);
        CHECK((c.consumer < 0 || !c.allocated.empty()));
    }
    CHECK(copies == 2);
    CHECK(rows == 2);
    CHECK(g.kernels[0].resources.shared_bytes <= round_gpu().shared_bytes_per_block);
    check_blocks(p.plan);
    // Whatever the size, it is one: where tiles do not fit, kernels stay apart.
    CHECK(policies(planned(weighted_sum(3, 512, 512)).plan).find("gpu_shared_tile") == std::string::npos);
}

TEST_CASE("rows that shared memory has no room for are read again, in one kernel") {
    const Planned p = planned(softmax(1 << 16, 1000));
    INFO(to_string(p.plan));
    REQUIRE(kernels(p.plan) == 1);
    const KernelPrice &k = p.plan.groups[0].kernels[0];
    const double all = 4.0 * (1 << 16) * 1000;
    CHECK(k.resources.shared_bytes < 4 * (1 << 16));
    CHECK(k.l2_bytes >= 3 * all);  // for its maximum, for its sum, and for its values
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

TEST_CASE("plans and prices depend on banks and barriers") {
    const auto tile = [](int banks, Seconds barrier) {
        Graph graph = dense(2048, 2048, 2048);
        graph.gpu = true;
        Machine m = round_gpu_machine();
        m.gpu->shared_banks = banks;
        m.gpu->barrier_seconds = barrier;
        m.gpu->access_bytes_per_cycle = 16;  // so that turns for banks are not hidden behind arithmetic
        return plan_greedy(graph, m, gpu_rules()).plan.groups[0];
    };
    const Gpu round = round_gpu();
    const Group plain = tile(round.shared_banks, round.barrier_seconds);
    REQUIRE(plain.policy == "gpu_shared_tile");
    // Neighbours of a turned copy are 132 points apart: every fourth of 32 banks, every second of 8.
    CHECK(tile(8, round.barrier_seconds).cost.total() > plain.cost.total());
    CHECK(tile(round.shared_banks, 1e-6).cost.total() > plain.cost.total());
    CHECK(tile(round.shared_banks, 1e-4).policy == "gpu_contraction");
}

TEST_CASE("where threads meet slowly, warps sum up rows lane by lane") {
    struct Case {
        int64_t columns;
        bool shuffles;
        std::vector<const char *> lines;
    };
    const std::vector<Case> cases = {
        // A warp a row: everything in registers.
        {100,
         true,
         {"  add f23 = lanes of f1 d1 / 32 (reassociating)\n  add f33 = tree of f1 d1 / 8 (reassociating)\n",
          "  add f26 = again of f1 for f55\n", "  f33 computed at f4.-1 loop 1 stored 1,0\n",
          "  f26 computed at f55.0 loop 2\n", "  f1 computed at f4.-1 loop 3\n",
          "  f4.-1: d1/4 block, d1 thread, d0/32, d0 lane\n",
          "  f23.0: ^d0/4 block, ^d0 thread, d1 lane, d2\n",
          "  f33.0: ^d0/4 block, ^d0 thread, d1 lane, d2 unroll\n",
          "  f26.0: ^d0/4 block, ^d0 thread, ^d-1 lane, d1 unroll\n", "  kernel of 16 x 128 threads\n"}},
        // Several: each sums up what all of them have left in shared memory.
        {4000,
         true,
         {"  add f26 = again of f1 for f55\n  add f29 = again of f33 for f26\n",
          "  f23 computed at f4.-1 loop 0 stored 1,0 in 1x256\n",
          "  f29 computed at f55.0 loop 1 stored 1,0\n", "  f33 computed at f4.-1 loop 2 stored 1,0\n",
          "  f4.-1: d1 block, d0/256, d0/32 thread, d0 lane\n",
          "  f23.0: ^d0 block, d1/32 thread, d1 lane, d2\n", "  f29.0: ^d0 block, ^d-1 thread, d1 lane, d2\n",
          "  f3.0: ^d0 block, ^d-1 thread, ^d-1 lane, d1 unroll\n", "  kernel of 64 x 256 threads\n"}},
        // The lanes are threads, and what they hand each other is in shared memory.
        {100,
         false,
         {"  add f26 = again of f1 for f55\n  f4 computed at root\n",
          "  f23 computed at f4.-1 loop 0 stored 1,0 in 1x128\n  f33 computed at f4.-1 loop 0 stored 1,0 in "
          "1x8\n",
          "  f4.-1: d1 block, d0/128, d0/32 thread, d0 thread\n", "  f33.0: ^d0 block, d1 thread, d2\n",
          "  f26.0: ^d0 block, ^d-1 thread, ^d-1 thread, d1 unroll\n"}},
    };
    for (const Case &c : cases) {
        Graph graph = softmax(c.columns, 64);
        graph.gpu = true;
        Machine m = round_gpu_machine();
        m.gpu->barrier_seconds = 2e-6;
        m.gpu->warp_shuffles = c.shuffles;
        const FusionPlan plan = plan_greedy(graph, m, gpu_rules()).plan;
        const std::string text = to_string(plan);
        INFO(text);
        REQUIRE(policies(plan) == "gpu_warps/1");
        for (const char *line : c.lines) {
            INFO(std::string(line));
            CHECK(text.find(line) != std::string::npos);
        }
        CHECK((plan.groups[0].kernels[0].resources.shared_bytes == 0) == (c.shuffles && c.columns == 100));
        check_blocks(plan);
        graph.strict = true;
        CHECK(to_string(plan_greedy(graph, m, gpu_rules()).plan).find("(reassociating)") ==
              std::string::npos);
    }
}

TEST_CASE("rows of a length that is the same at every size are kept in registers, and read once") {
    const auto of = [](bool constant, int64_t columns) {
        Graph graph = softmax(columns, 4096);
        graph.gpu = true;
        for (FuncInfo &f : graph.funcs) {
            f.constant.assign(f.extents.size(), false);
            f.constant[0] = constant && f.extents.size() == 2;
            for (const StageId s : f.stages) {
                std::vector<Dim> &dims = graph.stages[static_cast<size_t>(s)].dims;
                dims[0].constant = f.output && constant;
                dims.back().constant = dims.back().constant || (constant && dims.back().reduction);
            }
        }
        return graph;
    };
    struct Case {
        int64_t columns;
        bool shuffles;
        std::vector<const char *> lines;
    };
    const std::vector<Case> cases = {
        // A warp a row: what a lane has no other sees.
        {1000,
         true,
         {"  add f10 = pack of f0 for f-1\n", "  f10 computed at f4.-1 loop 1\n",
          "  f4.-1: d1/2 block, d1 thread, d0/32 unroll, d0 lane\n",
          "  f10.-1: ^d1/2 block, ^d1 thread, d0/32 unroll, d0 lane\n",
          "  f23.0: ^d0/2 block, ^d0 thread, d1 lane, d2 unroll\n"}},
        // The lanes are threads, each with room of its own.
        {1000,
         false,
         {"  add f10 = pack of f0 for f-1\n", "  f10 computed at f4.-1 loop 0 in 1000x2 by each thread\n",
          "  f10.-1: ^d1/2 block, d1 thread, d0/32 unroll, d0 thread\n"}},
        // More than a warp has registers for.
        {10000,
         true,
         {"  f10 computed at f4.-1 loop 0 in 10000x1 by each thread\n",
          "  f4.-1: d1 block, d0/64 unroll, d0/32 thread, d0 lane\n",
          "  f10.-1: ^d1 block, d0/64 unroll, d0/32 thread, d0 lane\n"}},
    };
    for (const Case &c : cases) {
        Machine m = round_gpu_machine();
        m.gpu->warp_shuffles = c.shuffles;
        m.gpu->access_bytes_per_cycle = 16;  // where reading from the first level takes longer
        const Graph graph = of(true, c.columns);
        const FusionPlan plan = plan_greedy(graph, m, gpu_rules()).plan;
        const std::string text = to_string(plan);
        INFO(text);
        REQUIRE(policies(plan) == "gpu_registers/1");
        for (const char *line : c.lines) {
            INFO(std::string(line));
            CHECK(text.find(line) != std::string::npos);
        }
        check_blocks(plan);
        const KernelPrice &k = plan.groups[0].kernels[0];
        const double row = 4.0 * static_cast<double>(c.columns) * 4096;
        CHECK(k.l2_bytes <= 2.01 * row);  // in once, and out
        CHECK(k.resources.registers <= m.gpu->registers_per_thread);
        CHECK(k.resources.registers > static_cast<int>(c.columns) / k.resources.threads);

        const Group varying = complete(of(false, c.columns), m, plan.placements).groups.back();
        CHECK(varying.policy != "gpu_registers");
        const std::vector<std::string> &refused = varying.refused;
        const std::string length = std::to_string(c.columns);
        CHECK(
            std::find(refused.begin(), refused.end(),
                      "gpu_registers keeps rows of x in registers, of which a thread has a constant number, "
                      "and they are as long as the caller's buffers: say how long, as set_bounds(0, " +
                          length + ") does for the first dimension of each") != refused.end());
    }
}

TEST_CASE("where a kernel has one value for each row, its sums read copies in registers, and what reads the "
          "row elsewhere reads the row") {
    for (const bool between : {false, true}) {
        Sketch s;
        const FuncId x = s.input("x", {1000, 4096}), labels = s.input("labels", {4096});
        const FuncId read = between ? s.pointwise("twice", {1000, 4096}, {{x, {at(0), at(1)}}}) : x;
        const FuncId m = s.reduction("m", {4096}, {1000}, {{read, {at(1), at(0)}}});
        const FuncId sum =
            s.reduction("sum", {4096}, {1000}, {{x, {at(1), at(0)}}, {m, {at(0)}}}, work(3, 0, 1));
        s.output(s.pointwise("loss", {4096},
                             {{m, {at(0)}}, {sum, {at(0)}}, {labels, {at(0)}}, {x, {unknown(), at(0)}}}));
        Graph graph = s.graph();
        graph.gpu = true;
        graph.funcs[static_cast<size_t>(x)].constant = {true, false};
        for (const FuncId f : {m, sum}) {
            graph.stages[static_cast<size_t>(graph.funcs[static_cast<size_t>(f)].stages.back())]
                .dims.back()
                .constant = true;
        }
        Machine machine = round_gpu_machine();
        machine.gpu->access_bytes_per_cycle = 16;
        const FusionPlan plan = plan_greedy(graph, machine, gpu_rules()).plan;
        const std::string text = to_string(plan);
        INFO(text);
        CHECK((text.find("gpu_registers") != std::string::npos) ==
              !between);  // a copy for a Func that others have taken in would be theirs, too
        if (between) {
            continue;
        }
        REQUIRE(policies(plan) == "gpu_registers/1");
        const int funcs = static_cast<int>(graph.funcs.size());
        const std::string lanes_m =
                              std::to_string(added_id(static_cast<size_t>(funcs), m, Added::Kind::lanes)),
                          lanes_sum =
                              std::to_string(added_id(static_cast<size_t>(funcs), sum, Added::Kind::lanes));
        CHECK(text.find(" = pack of f0 for f" + lanes_m + ", f" + lanes_sum + "\n") != std::string::npos);
        CHECK(text.find(" by each thread\n") != std::string::npos);
        check_blocks(plan);
        const KernelPrice &k = plan.groups[0].kernels[0];
        CHECK(k.dram_bytes <= 1.02 * 4 * 4096 * 1003);
    }
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

TEST_CASE("a sum that is divided late is not cut into chunks, and values of single columns are not computed "
          "beside a tile: sentences say so") {
    Graph graph = dense(32, 8192, 32);
    graph.gpu = true;
    const FuncId c = 2, y = static_cast<FuncId>(graph.funcs.size()) - 1;
    const Machine m = round_gpu_machine();
    Placements placements = unfused(graph);
    placements[static_cast<size_t>(c)] = {Placement::Kind::at, y};
    std::vector<bool> inlined(graph.funcs.size(), false);
    for (FuncId f = c + 1; f < y; f++) {
        inlined[static_cast<size_t>(f)] = !graph.funcs[static_cast<size_t>(f)].input;
    }
    std::vector<std::string> refused;
    GroupRequest q{graph, m, placements, inlined, y, {c}, {}};
    q.refused = &refused;
    CHECK(gpu_split_sum(q, std::nullopt));
    CHECK(refused.empty());
    graph.stages[static_cast<size_t>(graph.funcs[static_cast<size_t>(c)].stages.front())].divides_late = true;
    CHECK(!gpu_split_sum(q, std::nullopt));
    REQUIRE(refused.size() == 1);
    CHECK(refused[0] == "gpu_split_sum has no place for a division of " +
                            graph.funcs[static_cast<size_t>(c)].name +
                            ", whose terms would be divided after they are added up");

    Sketch s;
    const FuncId a = s.input("a", {512, 512}), b = s.input("b", {64, 512});
    const FuncId scale = s.reduction("scale", {64}, {512}, {{b, {at(0), at(1)}}});
    const FuncId scaled = s.pointwise("scaled", {64, 512}, {{b, {at(0), at(1)}}, {scale, {at(0)}}});
    const FuncId product = s.matmul("product", a, scaled, 64, 512, 512),
                 out = s.pointwise("out", {64, 512}, {{product, {at(0), at(1)}}});
    s.output(out);
    Graph columns = s.graph();
    columns.gpu = true;
    placements = unfused(columns);
    placements[static_cast<size_t>(scale)] = {Placement::Kind::block, out};
    placements[static_cast<size_t>(product)] = {Placement::Kind::at, out};
    inlined.assign(columns.funcs.size(), false);
    inlined[static_cast<size_t>(scaled)] = true;
    refused.clear();
    GroupRequest of_columns{columns, m, placements, inlined, out, {product}, {scale}};
    of_columns.refused = &refused;
    CHECK(!gpu_shared_tile(of_columns));
    REQUIRE(refused.size() == 1);
    CHECK(
        refused[0] ==
        "gpu_shared_tile computes one value for each row beside a sum: scale has more, or tiles of its own");
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
        placements[static_cast<size_t>(f)] = {Placement::Kind::block, 4};
    }
    const FusionPlan plan = complete(g, round_gpu_machine(), placements);
    REQUIRE(plan.groups.size() == 1);
    CHECK(plan.groups[0].computed.empty());
    CHECK(std::isinf(plan.groups[0].cost.total()));
    CHECK_FALSE(plan.groups[0].refused.empty());
}
