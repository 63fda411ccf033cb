// What holds of the traffic of every nest, over random ones, on a made-up machine whose caches hold 32 KiB,
// 256 KiB and 4 MiB.

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>

#include "cost/cost.h"
#include "tests/support/graphs.h"
#include "tests/support/machines.h"
#include "tests/support/random.h"
#include "tests/support/rounds.h"

using namespace eutectic;
using namespace eutectic::test;

namespace {

using Kind = Loop::Kind;

constexpr uint64_t cases = rounds(2000);

Extents random_extents(Random &random) {
    const int64_t dims = 1 + random.below(3);
    Extents extents;
    for (int64_t d = 0; d < dims; d++) {
        const int64_t most = dims == 1 ? int64_t{1} << 22 : dims == 2 ? 2000 : 150;
        extents.push_back(1 + random.below(random.below(3) == 0 ? 16 : most));
    }
    return extents;
}

/** Pointwise, of one to three inputs, each read at every point, along the dims of the output in one order for
 *  each: none is read twice. */
NestedStage reads_once(const Extents &extents, bool transposes, Random &random) {
    Sketch s;
    std::vector<Read> reads;
    for (int64_t i = 1 + random.below(3); i-- > 0;) {
        std::vector<DimId> order(extents.size());
        std::iota(order.begin(), order.end(), 0);
        if (transposes && random.below(2) == 0) {
            std::reverse(order.begin(), order.end());
        }
        Extents of_input;
        Table<DimId, At> indices;
        for (const DimId d : order) {
            of_input.push_back(extents[d]);
            indices.push_back(at(d));
        }
        reads.push_back({s.input("x" + std::to_string(i), of_input), indices});
    }
    s.output(s.pointwise("y", extents, reads));
    NestedStage stage;
    stage.work = stage_work(s.graph(), 0, std::vector<bool>(reads.size() + 1, false));
    for (const DimId d : extents.reversed_ids()) {
        stage.nest.loops.split(d, 1);
    }
    return stage;
}

/** One of its loops as two, one right inside the other. */
void split(NestedStage &stage, Random &random) {
    Loops &loops = stage.nest.loops;
    const size_t l = random.below(static_cast<int64_t>(loops.size()));
    const int64_t count = trips(stage.nest, l, stage.work->dims);
    if (count > 1) {
        const int64_t most = tile_inside(stage.nest, l, stage.work->dims)[loops[l].dim];
        loops.split_at(l, std::min(most, loops[l].size * (1 + random.below(count))));
    }
}

/** Two neighbours of different dims in the other order. */
void interchange(NestedStage &stage, Random &random) {
    Loops &loops = stage.nest.loops;
    const size_t l = random.below(static_cast<int64_t>(loops.size()));
    if (l + 1 < loops.size() && loops[l].dim != loops[l + 1].dim) {
        loops.reorder(l, l + 1);
    }
}

void check_no_less(const Traffic &now, const Traffic &before) {
    constexpr double rounding = 1 - 1e-9;
    CHECK(now.beyond_l1 >= before.beyond_l1 * rounding);
    CHECK(now.beyond_l2 >= before.beyond_l2 * rounding);
    CHECK(now.beyond_l3 >= before.beyond_l3 * rounding);
}

}  // namespace

TEST_CASE("splitting the loops of a stage that reads each element once never lowers its traffic") {
    for (uint64_t seed = 0; seed < cases; seed++) {
        Random random(seed);
        const bool transposes = random.below(2) == 0;  // those need tiles: loops in another order
        NestedStage stage = reads_once(random_extents(random), transposes, random);
        const Machine m = round_machine();
        Traffic before = memory_traffic(stage, m);
        for (int step = 0; step < 4; step++) {
            split(stage, random);
            const Traffic now = memory_traffic(stage, m);
            INFO("seed " << seed << ": " << to_string(stage.nest));
            check_no_less(now, before);
            before = transposes ? now : before;
            for (int i = 0; i < 4 && !transposes; i++) {
                interchange(stage, random);
                check_no_less(memory_traffic(stage, m), before);
            }
        }
    }
}

TEST_CASE("what lives beside a stage never lowers its traffic, and drives out what would fit alone") {
    const Machine m = round_machine();
    int more = 0;
    for (uint64_t seed = 0; seed < cases; seed++) {
        INFO("seed " << seed);
        Random random(seed);
        std::vector<NestedStage> stages;
        std::vector<Traffic> before;
        for (int n = 0; n < 4; n++) {
            stages.push_back(reads_once(random_extents(random), true, random));
            for (Load &load : stages.back().work.edit().loads) {
                load.producer = load.producer + 10 * n;  // data of its own
            }
            StageWork &work = stages.back().work.edit();
            work.func = work.func + 10 * n;
            split(stages.back(), random);
            const double touched = bytes_touched(stages, m);
            for (size_t s = 0; s < stages.size(); s++) {
                const Traffic now = memory_traffic(stages[s], m, touched);
                check_no_less(now, memory_traffic(stages[s], m));
                if (s < before.size()) {
                    check_no_less(now, before[s]);
                    more += now.beyond_l2 > before[s].beyond_l2 ? 1 : 0;
                    before[s] = now;
                } else {
                    before.push_back(now);
                }
            }
        }
    }
    CHECK(more > 0);
}

TEST_CASE("beside more than a level holds, each byte passes it once") {
    NestedStage stage;
    Sketch s;
    const FuncId x = s.input("x", {1 << 14});
    s.output(s.pointwise("y", {1 << 14}, {{x, {at(0)}}}));
    stage.work = stage_work(s.graph(), 0, {false, false});
    stage.nest.loops = {{0, 8, Kind::serial}, {0, 1, Kind::vector}};
    const Machine m = round_machine();
    const double KiB = 1024, once = (64 + 2 * 64) * KiB;
    const struct {
        double working_set, l2, l3;
    } table[] = {
        {0, 0, 0},
        {256 * KiB, 0, 0},
        {257 * KiB, once, 0},
        {4096 * KiB, once, 0},
        {2 * 4096 * KiB, once, once * (1 - 0.2031878)},  // of twice the third level that share is still there
    };
    for (const auto &row : table) {
        INFO(row.working_set);
        const Traffic t = memory_traffic(stage, m, row.working_set);
        CHECK(t.beyond_l1 == once);
        CHECK(t.beyond_l2 == row.l2);
        CHECK(t.beyond_l3 == doctest::Approx(row.l3));
    }
}

TEST_CASE("rows that a stencil reads again come once, where a few of them stay") {
    const int64_t columns = 2048, rows = 2048;
    for (const double halo : {0., 2., 8.}) {
        Sketch s;
        const FuncId x = s.input("x", {columns, rows + static_cast<int64_t>(halo)});
        s.output(s.pointwise("y", {columns, rows}, {{x, {at(0), halo > 0 ? shifted(1, halo) : at(1)}}}));
        NestedStage stage;
        stage.work = stage_work(s.graph(), 0, {false, false});
        stage.nest.loops = {{1, 1, Kind::serial}, {0, 8, Kind::serial}, {0, 1, Kind::vector}};
        const double once = 4. * static_cast<double>(columns) *
                            (static_cast<double>(rows) + halo + 2. * static_cast<double>(rows));
        INFO("a halo of " << halo << " rows");
        CHECK(memory_traffic(stage, round_machine()).beyond_l2 == doctest::Approx(once));
        // Another core's rows are not at hand.
        stage.nest.loops.run_as(0, Kind::parallel);
        CHECK(memory_traffic(stage, round_machine()).beyond_l2 >= once * (1 + halo / 4));
    }
}
