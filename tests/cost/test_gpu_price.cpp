#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "cost/gpu.h"
#include "machine/gpu_fields.h"
#include "tests/support/graphs.h"
#include "tests/support/machines.h"

using namespace eutectic;
using namespace eutectic::test;

namespace {

using Kind = Loop::Kind;

/** y(d0, d1) = x(d0, d1) with `flops` operations a point, by blocks of 256 threads along dim `along`. */
KernelStages copy(int64_t columns, int64_t rows, DimId along = 0, double flops = 1) {
    Sketch s;
    const FuncId x = s.input("x", {columns, rows});
    const FuncId y = s.pointwise("y", {columns, rows}, {{x, {at(0), at(1)}}}, work(flops));
    s.output(y);
    const Graph g = s.graph();
    Nest nest;
    nest.loops = {
        {1 - along, 1, Kind::gpu_block}, {along, 256, Kind::gpu_block}, {along, 1, Kind::gpu_thread}};
    KernelStages k;
    k.stages = {{stage_work(g, g.funcs[y].stages[0], Table<FuncId, bool>(g.funcs.size(), false)),
                 nest,
                 {},
                 false,
                 false}};
    return k;
}

}  // namespace

TEST_CASE("a copy moves its bytes once") {
    const Machine m = round_gpu_machine();
    const KernelPrice p = price_kernel(copy(4096, 1024), m);
    CHECK(p.blocks == 16 * 1024);
    CHECK(p.resources.threads == 256);
    CHECK(p.dram_bytes == 2.0 * 4096 * 1024 * 4);
    CHECK(p.occupancy.blocks == 4);
    const Seconds at_least = p.dram_bytes / m.gpu->dram_bytes_per_second;
    CHECK(p.cost.total() > at_least + m.gpu->launch_seconds);
    CHECK(p.cost.total() < 2 * at_least);
    CHECK(p.cost.launch == m.gpu->launch_seconds);
}

TEST_CASE("threads that walk down columns move a sector for each value") {
    const Machine m = round_gpu_machine();
    const KernelPrice along = price_kernel(copy(4096, 4096), m),
                      across = price_kernel(copy(4096, 4096, 1), m);
    CHECK(across.l2_bytes >= 7 * along.l2_bytes);
    CHECK(across.cost.total() > 2 * along.cost.total());
}

TEST_CASE("what several threads compute for themselves each of them pays for") {
    const Machine m = round_gpu_machine();
    // A value a row, in a loop that threads and turns of 1,024 columns are around: loops that change nothing
    // of it are gone through once, but each thread is one more.
    const auto seconds = [&](int64_t threads, int64_t turns) {
        Sketch s;
        const FuncId x = s.input("x", {4096});
        const FuncId sum = s.pointwise("sum", {4096}, {{x, {at(0)}}}, work(1000));
        const FuncId y = s.pointwise("y", {1024, 4096}, {{sum, {at(1)}}});
        s.output(y);
        const Graph g = s.graph();
        const auto of = [&](FuncId f) {
            return NestedStage{
                stage_work(g, g.funcs[f].stages[0], Table<FuncId, bool>(g.funcs.size(), false))};
        };
        LoopTree tree;
        tree.add_at_root(y);
        tree.add_stage(y,
                       {{1, 1, Kind::gpu_block},
                        {0, 1024 / turns, Kind::serial},
                        {0, 1024 / turns / threads, Kind::gpu_thread}},
                       {}, of(y));
        tree.add_in_loop(sum, {y, -1, 2}, {-1, 0});
        tree.add_stage(sum, {}, {}, of(sum));
        return price_kernel(tree, {}, m).cost.compute;
    };
    CHECK(seconds(256, 1) > 1.9 * seconds(128, 1));
    CHECK(seconds(128, 8) < 1.1 * seconds(128, 1));
}

TEST_CASE("few blocks leave most of a device idle") {
    const Machine m = round_gpu_machine();
    const KernelPrice one = price_kernel(copy(256, 1, 0, 1000), m),
                      ten = price_kernel(copy(256, 10, 0, 1000), m),
                      eleven = price_kernel(copy(256, 11, 0, 1000), m);
    CHECK(ten.cost.total() == doctest::Approx(one.cost.total()).epsilon(0.1));
    CHECK(eleven.cost.compute + eleven.cost.idle > 1.5 * (ten.cost.compute + ten.cost.idle));
}

TEST_CASE("what no SM can hold has no price") {
    const Machine m = round_gpu_machine();
    KernelStages k = copy(4096, 16);
    k.shared_bytes = m.gpu->shared_bytes_per_block;
    CHECK(std::isfinite(price_kernel(k, m).cost.total()));
    k.shared_bytes++;
    CHECK(std::isinf(price_kernel(k, m).cost.total()));
    CHECK(price_kernel(k, m).occupancy.limit == Occupancy::Limit::shared_memory);
}

TEST_CASE("shared memory lowers occupancy, and that memory's latency is felt") {
    const Machine m = round_gpu_machine();
    KernelStages k = copy(4096, 1024);
    const KernelPrice full = price_kernel(k, m);
    k.shared_bytes = 31 * 1024;
    const KernelPrice half = price_kernel(k, m);
    CHECK(half.occupancy.blocks == 2);
    CHECK(half.cost.total() > full.cost.total());
}

TEST_CASE("a device's buffers cost no pages of the host's") {
    const Machine cpu = round_machine(), gpu = round_gpu_machine();
    CHECK(allocation_cost(Bytes{64} << 20, gpu) == gpu.gpu->allocation_seconds);
    CHECK(allocation_cost(Bytes{64} << 20, cpu) > 1e-3);
    CHECK(trimming_cost({Bytes{1} << 20, Bytes{1} << 20, Bytes{1} << 20}, gpu) == 0);
}

TEST_CASE("what a stage before has read is as near as the first level that still holds it") {
    const Machine m = round_gpu_machine();
    const int64_t points = 256 * 16;  // of the only block, which reads 16 KiB
    const size_t stages = 8;          // enough that their latencies are more than the first one's traffic
    const auto price = [&](Bytes first_level) {
        Machine of = m;
        of.gpu->l1_bytes_per_sm = first_level;
        KernelStages k = copy(points, 1);
        k.stages[0].nest.loops = {
            {0, points, Kind::gpu_block}, {0, 256, Kind::serial}, {0, 1, Kind::gpu_thread}};
        k.stages[0].stores_locally = true;
        k.stages.assign(stages, NestedStage(k.stages[0]));
        return price_kernel(k, of).cost.total();
    };
    const Seconds nearer = m.gpu->dram_latency_seconds - m.gpu->shared_latency_seconds,
                  held = price(4 * points);
    CHECK(held == price(m.gpu->l1_bytes_per_sm));
    CHECK(price(4 * points - 1) - held >= (stages - 1) * nearer);
}

TEST_CASE("values in registers are read and written for nothing but the registers") {
    const Machine m = round_gpu_machine();
    const KernelStages once = copy(4096, 1024);
    KernelStages twice = once;
    twice.stages.push_back(once.stages[0]);
    const FuncId x = once.stages[0].work->loads[0].producer, y = once.stages[0].work->func;
    twice.stages[1].in_registers = {x, y};
    const KernelPrice plain = price_kernel(once, m), kept = price_kernel(twice, m);
    CHECK(kept.dram_bytes == plain.dram_bytes);
    CHECK(kept.l2_bytes == plain.l2_bytes);
    CHECK(kept.cost.compute > plain.cost.compute);  // its operations remain
    twice.stages[1].in_registers = {};
    const KernelPrice again = price_kernel(twice, m);
    CHECK(again.cost.compute > kept.cost.compute);
    CHECK(again.l2_bytes > kept.l2_bytes);

    for (const int values :
         {8, 32, 128, 188}) {  // ptxas gives 31 to 32, 48 to 56, 168 and 254 (schedules/gpu/README.md)
        KernelStages rows = once;
        rows.row_values = values;
        const KernelPrice p = price_kernel(rows, m);
        CHECK(p.needed_registers == plain.needed_registers + static_cast<int>(std::ceil(1.25 * values)));
        CHECK(p.tile_points == values);
        CHECK(p.registers_per_point == 1);
    }
}

TEST_CASE("a kernel does without some registers where a thread may have no more, and no more of them than "
          "that") {
    Machine m = round_gpu_machine();
    KernelStages rows = copy(4096, 1024);
    rows.row_values = 64;
    const int needed = price_kernel(rows, m).needed_registers, least = needed - m.gpu->spare_registers;
    for (const int allowed : {needed, needed - 1, least}) {
        m.gpu->registers_per_thread = allowed;
        const KernelPrice p = price_kernel(rows, m);
        CHECK(p.resources.registers == allowed);
        CHECK(p.needed_registers == needed);
        CHECK(p.occupancy.blocks > 0);
    }
    m.gpu->registers_per_thread = least - 1;
    CHECK(price_kernel(rows, m).occupancy.blocks == 0);
}

TEST_CASE("every number of a kernel's code is the device's, and counts") {
    const Machine m = round_gpu_machine();
    ExprSummary body = work(1, 1, 1);
    body.libm_calls = 1;
    KernelStages plain = copy(4096, 1024), waits = copy(512, 1), kept = plain, row = plain, tile = plain,
                 steps = plain, shared = plain;
    plain.stages[0].work.edit().parts[0].body = body;
    // One warp that goes over what is near, and waits in each turn.
    waits.stages[0].nest.loops = {{0, 512, Kind::gpu_block}, {0, 32, Kind::serial}, {0, 1, Kind::gpu_thread}};
    waits.stages[0].local = {waits.stages[0].work->loads[0].producer};
    waits.stages[0].stores_locally = true;
    kept.register_values = 4;
    row.row_values = 4;
    tile.tile_points = 4;
    steps.stages[0].nest.loops.remove(2).gpu_threads(0, 2).split(0, 1, Kind::gpu_step);
    shared.stages[0].in_shared = {shared.stages[0].work->loads[0].producer};
    shared.stages[0].nest.loops.remove(2).gpu_threads(0, 4).unroll(0);
    const auto differs = [&](const KernelStages &k, const Machine &other) {
        const KernelPrice a = price_kernel(k, m), b = price_kernel(k, other);
        return a.cost.total() != b.cost.total() || a.resources.registers != b.resources.registers;
    };
    const struct {
        const char *key;
        const KernelStages &kernel;
    } table[] = {{"division_instructions", plain},
                 {"transcendental_instructions", plain},
                 {"libm_instructions", plain},
                 {"libm_special_values", plain},
                 {"access_instructions", plain},
                 {"loop_instructions", plain},
                 {"base_registers", plain},
                 {"load_registers", plain},
                 {"instruction_latency_cycles", waits},
                 {"turns_under_way", waits},
                 {"address_registers", kept},
                 {"row_value_registers", row},
                 {"point_registers", tile},
                 {"barriers_a_step", steps},
                 {"widest_load_bytes", shared}};
    for (const auto &[key, kernel] : table) {
        INFO(std::string(key));
        const auto named = [key = std::string(key)](const GpuField &f) { return f.key == key; };
        const auto field = std::find_if(gpu_fields().begin(), gpu_fields().end(), named);
        REQUIRE(field != gpu_fields().end());
        Machine other = m;
        field->set(*other.gpu, key == std::string("widest_load_bytes") ? 4 : 1000 * field->get(*m.gpu));
        CHECK(differs(kernel, other));
    }
}
