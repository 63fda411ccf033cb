// Rows on a made-up GPU: read again, summed up by lanes of a warp, kept in registers.

#include "gpu_plans.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/support/graphs.h"
#include "tests/support/machines.h"

using namespace eutectic;
using namespace eutectic::test;

TEST_CASE("rows that shared memory has no room for are read again, in one kernel") {
    const Planned p = planned(softmax(1 << 16, 1000));
    INFO(to_string(p.plan));
    REQUIRE(kernels(p.plan) == 1);
    const KernelPrice &k = p.plan.groups[0].kernels[0];
    const double all = 4.0 * (1 << 16) * 1000;
    CHECK(k.resources.shared_bytes < 4 * (1 << 16));
    CHECK(k.l2_bytes >= 3 * all);  // for its maximum, for its sum, and for its values
}

namespace {

/** Rows of so many columns, and lines of the plan's text. */
struct RowPlan {
    int64_t columns;
    bool shuffles;  ///< a warp's lanes can hand each other values
    std::vector<const char *> lines;
};

void check_lines(const std::string &text, const std::vector<const char *> &lines) {
    for (const char *line : lines) {
        INFO(std::string(line));
        CHECK(text.find(line) != std::string::npos);
    }
}

std::vector<RowPlan> rows_of_warps() {
    return {
        // A warp a row: everything in registers.
        {100,
         true,
         {"  add f5 = lanes of f1 d1 / 32 (reassociating)\n  add f6 = tree of f1 d1 / 8 (reassociating)\n",
          "  add f9 = recomputed of f1 with f7\n", "  f6 computed at f4.-1 loop 1 stored 1,0\n",
          "  f9 computed at f7.0 loop 2\n", "  f1 computed at f4.-1 loop 3\n",
          "  f4.-1: d1/4 block, d1 thread, d0/32, d0 lane\n",
          "  f5.0: ^d0/4 block, ^d0 thread, d1 lane, d2\n",
          "  f6.0: ^d0/4 block, ^d0 thread, d1 lane, d2 unroll\n",
          "  f9.0: ^d0/4 block, ^d0 thread, ^d-1/32 lane, d1 unroll\n", "  kernel of 16 x 128 threads\n"}},
        // Several: each sums up what all of them have left in shared memory.
        {4000,
         true,
         {"  add f9 = recomputed of f1 with f7\n  add f10 = recomputed of f6 with f9, 8\n",
          "  f5 computed at f4.-1 loop 0 stored 1,0 in 1x256\n", "  f10 computed at f7.0 loop 1 stored 1,0\n",
          "  f6 computed at f4.-1 loop 2 stored 1,0\n", "  f4.-1: d1 block, d0/256, d0/32 thread, d0 lane\n",
          "  f5.0: ^d0 block, d1/32 thread, d1 lane, d2\n",
          "  f10.0: ^d0 block, ^d-1/8 thread, d1 lane, d2\n",
          "  f3.0: ^d0 block, ^d-1/16, ^d-1/8 thread, ^d-1/32 lane, d1 unroll\n",
          "  kernel of 64 x 256 threads\n"}},
        // The lanes are threads, and what they hand each other is in shared memory.
        {100,
         false,
         {"  add f9 = recomputed of f1 with f7\n  f4 computed at root\n",
          "  f5 computed at f4.-1 loop 0 stored 1,0 in 1x128\n  f6 computed at f4.-1 loop 0 stored 1,0 in "
          "1x8\n",
          "  f4.-1: d1 block, d0/128, d0/32 thread, d0 thread\n", "  f6.0: ^d0 block, d1 thread, d2\n",
          "  f9.0: ^d0 block, ^d-1/4 thread, ^d-1/32 thread, d1 unroll\n"}},
    };
}

}  // namespace

TEST_CASE("where threads meet slowly, warps sum up rows lane by lane") {
    for (const RowPlan &c : rows_of_warps()) {
        Graph graph = softmax(c.columns, 64);
        graph.gpu = true;
        Machine m = round_gpu_machine();
        m.gpu->barrier_seconds = 2e-6;
        m.gpu->warp_shuffles = c.shuffles;
        const FusionPlan plan = plan_greedy(graph, m, gpu_rules()).plan;
        const std::string text = to_string(plan);
        INFO(text);
        REQUIRE(policies(plan) == "gpu_warps/1");
        check_lines(text, c.lines);
        CHECK((plan.groups[0].kernels[0].resources.shared_bytes == 0) == (c.shuffles && c.columns == 100));
        check_blocks(plan);
        graph.strict = true;
        CHECK(to_string(plan_greedy(graph, m, gpu_rules()).plan).find("(reassociating)") ==
              std::string::npos);
    }
}

TEST_CASE("warps compute a value of a row again for each of many sums") {
    for (const int sums : {2, 3, 6}) {
        INFO(sums);
        Sketch s;
        const FuncId x = s.input("x", {100, 64});
        const FuncId m = s.reduction("m", {64}, {100}, {{x, {at(1), at(0)}}});
        std::vector<Read> reads = {{x, {at(0), at(1)}}};
        for (int i = 0; i < sums; i++) {
            const FuncId sum = s.reduction("sum" + std::to_string(i), {64}, {100},
                                           {{x, {at(1), at(0)}}, {m, {at(0)}}}, work(3, 0, 1));
            reads.push_back({sum, {at(1)}});
        }
        s.output(s.pointwise("y", {100, 64}, reads));
        Graph graph = s.graph();
        graph.gpu = true;
        Placements placements = unfused(graph);
        const FuncId root = graph.funcs.next_id() - 1;
        for (FuncId f = m; f < root; f++) {
            placements[f] = {Placement::Kind::block, root};
        }
        Machine machine = round_gpu_machine();
        machine.gpu->barrier_seconds = 2e-6;
        const FusionPlan plan = complete(graph, machine, placements);
        INFO(to_string(plan));
        REQUIRE(policies(plan) == "gpu_warps/1");
        const std::vector<Added> &added = plan.groups[0].added;
        CHECK(std::count_if(added.begin(), added.end(),
                            [&](const Added &a) { return a.name == "recomputed" && a.of == m; }) == sums);
        check_blocks(plan);
    }
}

namespace {

/** Softmax of rows whose length is the same at every size, or not. */
Graph softmax_of_rows(bool constant, int64_t columns) {
    Graph graph = softmax(columns, 4096);
    graph.gpu = true;
    for (FuncInfo &f : graph.funcs) {
        f.constant.assign(f.extents.size(), false);
        f.constant[0] = constant && f.extents.size() == 2;
        for (const StageId s : f.stages) {
            Dims &dims = graph.stages[s].dims;
            dims[0].constant = f.output && constant;
            dims.back().constant = dims.back().constant || (constant && dims.back().reduction);
        }
    }
    return graph;
}

std::vector<RowPlan> rows_in_registers() {
    return {
        // A warp a row: what a lane has no other sees.
        {1000,
         true,
         {"  add f9 = pack of f0 for f-1\n", "  f9 computed at f4.-1 loop 1\n",
          "  f4.-1: d1/2 block, d1 thread, d0/32 unroll, d0 lane\n",
          "  f9.-1: ^d1/2 block, ^d1 thread, d0/32 unroll, d0 lane\n",
          "  f5.0: ^d0/2 block, ^d0 thread, d1 lane, d2 unroll\n"}},
        // The lanes are threads, each with room of its own.
        {1000,
         false,
         {"  add f9 = pack of f0 for f-1\n", "  f9 computed at f4.-1 loop 0 in 1000x2 by each thread\n",
          "  f9.-1: ^d1/2 block, d1 thread, d0/32 unroll, d0 thread\n"}},
        // More than a warp has registers for.
        {10000,
         true,
         {"  f9 computed at f4.-1 loop 0 in 10000x1 by each thread\n",
          "  f4.-1: d1 block, d0/64 unroll, d0/32 thread, d0 lane\n",
          "  f9.-1: ^d1 block, d0/64 unroll, d0/32 thread, d0 lane\n"}},
    };
}

}  // namespace

TEST_CASE("rows of a length that is the same at every size are kept in registers, and read once") {
    for (const RowPlan &c : rows_in_registers()) {
        Machine m = round_gpu_machine();
        m.gpu->warp_shuffles = c.shuffles;
        m.gpu->access_bytes_per_cycle = 16;  // where reading from the first level takes longer
        const Graph graph = softmax_of_rows(true, c.columns);
        const FusionPlan plan = plan_greedy(graph, m, gpu_rules()).plan;
        const std::string text = to_string(plan);
        INFO(text);
        REQUIRE(policies(plan) == "gpu_registers/1");
        check_lines(text, c.lines);
        check_blocks(plan);
        const KernelPrice &k = plan.groups[0].kernels[0];
        const double row = 4.0 * static_cast<double>(c.columns) * 4096;
        CHECK(k.l2_bytes <= 2.01 * row);  // in once, and out
        CHECK(k.resources.registers <= m.gpu->registers_per_thread);
        CHECK(k.resources.registers > static_cast<int>(c.columns) / k.resources.threads);

        const Group varying = complete(softmax_of_rows(false, c.columns), m, plan.placements).groups.back();
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
        graph.funcs[x].constant = {true, false};
        for (const FuncId f : {m, sum}) {
            graph.stages[graph.funcs[f].stages.back()].dims.back().constant = true;
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
        const std::vector<Added> &added = plan.groups[0].added;
        const auto lanes_of = [&](FuncId f) {
            const auto it = std::find_if(added.begin(), added.end(),
                                         [&](const Added &a) { return a.name == "lanes" && a.of == f; });
            return it == added.end() ? std::string("no lanes") : std::to_string(it->id);
        };
        const std::string lanes_m = lanes_of(m), lanes_sum = lanes_of(sum);
        CHECK(text.find(" = pack of f0 for f" + lanes_m + ", f" + lanes_sum + "\n") != std::string::npos);
        CHECK(text.find(" by each thread\n") != std::string::npos);
        check_blocks(plan);
        const KernelPrice &k = plan.groups[0].kernels[0];
        CHECK(k.dram_bytes <= 1.02 * 4 * 4096 * 1003);
    }
}
