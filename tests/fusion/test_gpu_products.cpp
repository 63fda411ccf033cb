// Products on a made-up GPU: operands that a block shares, sums cut into chunks, what terms need of each row.

#include "gpu_plans.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "fusion/policies/gpu/gpu.h"
#include "fusion/rewrite.h"
#include "tests/support/graphs.h"
#include "tests/support/machines.h"

using namespace eutectic;
using namespace eutectic::test;

namespace {

/** Policies ask no more of a rewrite that wraps a Func than that there is one. */
class Wrapper : public Rewrite {
public:
    const char *name() const override {
        return "wrapper";
    }
};

}  // namespace

TEST_CASE("a large product shares its operands in a block's memory") {
    const Planned p = planned(dense(2048, 2048, 2048));
    REQUIRE(policies(p.plan) == "gpu_shared_tile/1");
    const Group &g = p.plan.groups[0];
    const std::string text = to_string(p.plan);
    for (const char *line :
         {"  f2 computed at f5.-1 loop 1 in 128x128 by each thread\n",
          "  f6 computed at f2.0 loop 2 stored 1,0 in 16x132\n", "  f7 computed at f2.0 loop 2 in 128x16\n",
          "  f5.-1: d1/128 block, d0/128 block, d1/16 thread, d0/4 thread, d1 unroll, d0 unroll | whole "
          "5.0>=128, 5.1>=128\n",
          "  f2.0: ^d1/128 block, ^d0/128 block, d2/16 step, d1/16 thread, d0/4 thread, d2/8, d2 unroll, d1 "
          "unroll, d0 unroll | whole 5.0>=128, 5.1>=128\n",
          "  f6.-1: ^d1/128 block, ^d-1/16 block, ^d0/16 step, d1/8 unroll, d1 thread, d0 thread\n"}) {
        INFO(text);
        CHECK(text.find(line) != std::string::npos);
    }
    // Both operands are copied in steps that all threads take together; the copy that is turned has a pitch
    // that spreads its rows over the banks.
    size_t copies = 0;
    for (const TreeFunc &f : g.tree.funcs()) {
        const bool copy = !f.allocated.empty() && !f.by_threads;
        copies += copy ? 1 : 0;
        CHECK((!copy || f.storage.empty() || f.allocated[f.storage[0]] % 32 == 4));
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

TEST_CASE("a product of more than four operands copies each of them") {
    Sketch s;
    std::vector<Read> reads;
    for (int operand = 0; operand < 6; operand++) {
        const bool rows = operand % 2 == 0;
        const FuncId f = s.input("x" + std::to_string(operand), {512, 512});
        reads.push_back({f, {rows ? at(2) : at(0), rows ? at(1) : at(2)}});
    }
    s.output(s.contraction("c", {512, 512}, {512}, reads));
    Graph graph = s.graph();
    graph.gpu = true;
    const Placements placements = unfused(graph);
    const Table<FuncId, bool> inlined(graph.funcs.size(), false);
    const FuncId c = graph.funcs.next_id() - 1;
    MadeIds ids(graph.funcs.size());
    Offer offer = gpu_shared_tile({graph, round_gpu_machine(), placements, inlined, ids, c, {}, {}});
    REQUIRE(offer.group());
    std::set<FuncId> of, made;
    for (const Added &a : offer.group()->added) {
        of.insert(a.kind == Added::Kind::pack ? a.of : no_func);
        CHECK(made.insert(a.id).second);
        CHECK(offer.group()->tree.find(a.id) != nullptr);
    }
    CHECK(of.size() == 6 + 1);
}

TEST_CASE("few sums of many terms are cut into chunks, then added up") {
    Sketch s;
    const FuncId a = s.input("a", {8192, 32}), b = s.input("b", {32, 8192});
    s.output(s.matmul("c", a, b, 32, 32, 8192));
    const std::vector<const char *> product = {
        "  add f3 = chunks of f2 d2 / 1024 chunks (reassociating)\n  add f4 = write_tile of f3\n",
        "  add f7 = moved_sum of f2\n",
        "  f4.-1: d2 block, d1/32 block, d0/32 block, d1/4 thread, d0/4 thread, d1 unroll, d0 unroll | "
        "whole 2.0>=32, 2.1>=32\n",
        "  f3.0: ^d2 block, ^d1/32 block, ^d0/32 block, d3/64 step, d1/4 thread, d0/4 thread, d3/8, d3 "
        "unroll, d1 unroll, d0 unroll | whole 2.0>=32, 2.1>=32\n",
        "  f7.0: ^d1/16 block, ^d0/8 block, ^d1/4 thread, ^d0 thread, d2, d1 unroll\n  kernel of 8 x 64 "
        "threads\n  kernel of 8 x 32 threads\n"};
    const std::vector<const char *> with_epilogue = {
        "f2 at f5\n",
        "  add f6 = chunks of f2 d2 / 1024 chunks (reassociating)\n  add f7 = write_tile of f6\n",
        "  f6 computed at f7.-1 loop 2 in 32x32x1 by each thread\n",
        "  f9.-1: ^d-1/8 block, ^d-1 block, ^d0/32 block, ^d1/64 step, d1/8 unroll, d0/8 unroll, d1 thread, "
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
    Machine sceptical = round_gpu_machine();
    sceptical.gpu->split_sum_gain = 1e6;
    const Planned whole = plan_greedy(dense(32, 8192, 32), sceptical, gpu_rules());
    CHECK(policies(whole.plan).find("gpu_split_sum") == std::string::npos);
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
    for (const TreeFunc &f : g.tree.funcs()) {
        const bool copy = std::any_of(g.added.begin(), g.added.end(), [&](const Added &a) {
            return a.id == f.func && a.kind == Added::Kind::pack;
        });
        copies += copy ? 1 : 0;
        rows += f.func == 2 || f.func == 4 ? 1 : 0;
        CHECK(f.allocated_in.has_value() == copy);
        CHECK((!f.computed || !f.allocated.empty()));
    }
    CHECK(copies == 2);
    CHECK(rows == 2);
    CHECK(g.kernels[0].resources.shared_bytes <= round_gpu().shared_bytes_per_block);
    check_blocks(p.plan);
    // Whatever the size, it is one: where tiles do not fit, kernels stay apart.
    CHECK(policies(planned(weighted_sum(3, 512, 512)).plan).find("gpu_shared_tile") == std::string::npos);
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

TEST_CASE("a sum that is divided late is not cut into chunks, and values of single columns are not computed "
          "beside a tile: sentences say so") {
    Graph graph = dense(32, 8192, 32);
    graph.gpu = true;
    const FuncId c = 2, y = graph.funcs.next_id() - 1;
    const Machine m = round_gpu_machine();
    Placements placements = unfused(graph);
    placements[c] = {Placement::Kind::at, y};
    Table<FuncId, bool> inlined(graph.funcs.size(), false);
    for (FuncId f = c + 1; f < y; f++) {
        inlined[f] = !graph.funcs[f].input;
    }
    MadeIds ids(graph.funcs.size());
    const GroupRequest q{graph, m, placements, inlined, ids, y, {c}, {}};
    CHECK(gpu_split_sum(q).group());
    const Wrapper division;
    graph.stages[graph.funcs[c].stages.front()].wrapper = &division;
    Offer divided = gpu_split_sum(q);
    CHECK(!divided.group());
    CHECK_FALSE(divided.is_of_other_kind());
    CHECK(divided.reason() == "has no place for a division of " + graph.funcs[c].name +
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
    placements[scale] = {Placement::Kind::block, out};
    placements[product] = {Placement::Kind::at, out};
    inlined.assign(columns.funcs.size(), false);
    inlined[scaled] = true;
    Offer beside = gpu_shared_tile({columns, m, placements, inlined, ids, out, {product}, {scale}});
    CHECK(!beside.group());
    CHECK(beside.reason() ==
          "computes one value for each row with a sum: scale has more, or tiles of its own");
}
