// Vectors whose lanes lie apart, worked out by hand on the made-up machine of test_compute.cpp.

#include <doctest/doctest.h>

#include "cost/cost.h"
#include "pointwise.h"
#include "tests/support/graphs.h"
#include "tests/support/machines.h"

using namespace eutectic;
using namespace eutectic::test;

namespace {

using Kind = Loop::Kind;

}  // namespace

TEST_CASE("clamped neighbours are gathered in the first and the last vectors of a row, and nowhere else") {
    // A row of 64 points in vectors of 8; `halo` points more are read than there are.
    const auto cycles = [&](bool clamped, int64_t rows_of_task, double halo) {
        NestedStage stage = pointwise({at(0), at(1)}, work(0),
                                      {{1, rows_of_task, Kind::parallel},
                                       {1, 1, Kind::serial},
                                       {0, 8, Kind::serial},
                                       {0, 1, Kind::vector}});
        for (Index &i : stage.work.edit().loads.front().access.indices) {
            i.cut = clamped;
            i.halo = halo;
        }
        return compute_cycles(stage, round_machine());
    };
    const double blocks = 512, store = 1, vector = 1. / 2, gathered = 8, loop = 1;
    for (const int64_t rows : {1, 4, 16}) {
        CHECK(cycles(false, rows, 0) == doctest::Approx(blocks * (store + loop)));
        CHECK(cycles(true, rows, 0) == cycles(false, rows, 0));  // nothing is beyond
        for (const auto &[halo, vectors] : std::vector<std::pair<double, double>>{{4, 2}, {18, 4}}) {
            const double beyond = vectors / 8;
            CHECK(cycles(true, rows, halo) ==
                  doctest::Approx(blocks * (beyond * gathered + (1 - beyond) * vector + loop)));
        }
    }
}

TEST_CASE("clamped neighbours are gathered everywhere where no loop of vectors can be cut") {
    const Loops task = {
        {0, 16, Kind::parallel}, {1, 1, Kind::serial}, {0, 8, Kind::unroll}, {0, 1, Kind::vector}};
    NestedStage stage = pointwise({at(0), at(1)}, work(0), task);
    CHECK(compute_cycles(stage, round_machine()) == doctest::Approx(256 * (2 + 1)));  // two stores a turn
    stage.work.edit().loads.front().access.indices[DimId(0)].cut = true;
    CHECK(compute_cycles(stage, round_machine()) == doctest::Approx(256 * (16 + 1)));
}

TEST_CASE("rows that share a set of the first level are gathered slowly, once they are too many for it") {
    const struct {
        int64_t columns, lanes;
        double cycles_per_lane;
    } table[] = {{64, 16, 1}, {1000, 16, 1}, {1024, 16, 5}, {2048, 16, 5}, {1025, 16, 1}, {1024, 8, 1}};
    for (const auto &row : table) {
        INFO(row.columns << " " << row.lanes);
        Sketch s;
        const FuncId x = s.input("x", {row.columns, 64});
        s.output(s.pointwise("y", {64, row.columns}, {{x, {at(1), at(0)}}}, work(0)));
        NestedStage stage;
        stage.work = stage_work(s.graph(), 0, {false, false});
        stage.nest.loops = {{1, 1, Kind::serial}, {0, row.lanes, Kind::serial}, {0, 1, Kind::vector}};
        Machine m = round_machine();
        m.vector_bits = m.datapath_bits = static_cast<int>(32 * row.lanes);
        const double vectors = static_cast<double>(row.columns * 64 / row.lanes);
        CHECK(compute_cycles(stage, m) ==
              doctest::Approx(vectors * (static_cast<double>(row.lanes) * row.cycles_per_lane + 1)));
    }
}

TEST_CASE("lanes that add at computed places are loaded and stored one by one, those along a row are not") {
    const Machine m = round_machine();
    const auto cycles = [&](const DimFlags &by, const Loops &loops) {
        NestedStage stage = pointwise({at(0), at(1)}, work(1), loops);
        StageWork &work = stage.work.edit();
        work.accumulates = true;
        work.scattered_by = by;
        return compute_cycles(stage, m);
    };
    const Loops rows = {{1, 1, Kind::serial}, {0, 8, Kind::serial}, {0, 1, Kind::vector}},
                points = {{1, 1, Kind::serial}};
    // A vector of v, and of each lane what it adds to, which it stores more slowly.
    const double loads = 0.5 + 8 * (m.gather_cycles_per_lane + m.index_cycles_per_lane),
                 stores = 8 * m.scatter_cycles_per_lane;
    CHECK(cycles({true, true}, rows) == doctest::Approx(512 * (loads + stores + 1)));
    // Rows at computed places: two vectors are loaded and one is stored.
    CHECK(cycles({false, true}, rows) == doctest::Approx(512 * (1 + 1)));
    CHECK(cycles({true, true}, points) == doctest::Approx(4096 * (1 + 1)));
}

TEST_CASE("what spreads or gathers neighbours takes the units that arithmetic needs") {
    const auto cycles = [](double scale, int flops) {
        return compute_cycles(pointwise({scaled(0, scale), at(1)}, work(flops), vectors_of_rows),
                              round_machine());
    };
    // Of p(x / 2) two loads, two shuffles and a blend; of p(2 x) two loads and a shuffle; two of any a cycle.
    CHECK(cycles(0.5, 0) == doctest::Approx(512 * (1.5 + 1)));
    CHECK(cycles(0.5, 2) == doctest::Approx(512 * (1.5 + 2 / 2. + 1)));
    CHECK(cycles(2, 0) == doctest::Approx(512 * (1.5 + 1)));
    CHECK(cycles(2, 2) == doctest::Approx(512 * (1.5 + 1)));
    CHECK(cycles(2, 4) == doctest::Approx(512 * (4 / 2. + 0.5 + 1)));
}
