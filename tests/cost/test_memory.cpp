// Traffic on a made-up machine with caches of 32 KiB, 256 KiB and 4 MiB, all of which hold what is used
// again.

#include <doctest/doctest.h>

#include "cost/cost.h"
#include "tests/support/graphs.h"
#include "tests/support/machines.h"

using namespace eutectic;
using namespace eutectic::test;

namespace {

using Kind = Loop::Kind;

/** y(j, i) = x(j, i) on n x n floats, row by row. */
NestedStage copy(int64_t n) {
    Sketch s;
    const FuncId x = s.input("x", {n, n});
    s.output(s.pointwise("y", {n, n}, {{x, {at(0), at(1)}}}));
    NestedStage stage;
    stage.work = stage_work(s.graph(), 0, {false, false});
    stage.nest.loops = {{1, 1, Kind::serial}, {0, 8, Kind::serial}, {0, 1, Kind::vector}};
    return stage;
}

NestedStage matmul(int64_t n, const Loops &loops) {
    Sketch s;
    const FuncId a = s.input("a", {n, n}), b = s.input("b", {n, n});
    s.output(s.matmul("c", a, b, n, n, n));
    NestedStage stage;
    stage.work = stage_work(s.graph(), 1, {false, false, false});
    stage.nest.loops = loops;
    stage.accumulates_in_registers = true;
    return stage;
}

}  // namespace

TEST_CASE(
    "what fits a level is not moved past it; the rest once: a load, and a store that first reads the line") {
    const int64_t KiB = 1024;
    const struct {
        int64_t n;
        double l1, l2, l3;  // KiB moved past each level
    } table[] = {
        {64, 0, 0, 0},             // 16 KiB read, 16 written: the cache is full
        {96, 36 + 72, 0, 0},       // two transfers for each byte written
        {256, 256 + 512, 768, 0},  // 512 KiB
        {1024, 4096 + 8192, 12288,
         12288 *
             (1 - 0.2031878)},  // twice the third level: 0.203 = exp(-(1 - 0.203) * 2) of it is still there
    };
    for (const auto &row : table) {
        INFO(row.n);
        const Traffic t = memory_traffic(copy(row.n), round_machine());
        CHECK(t.beyond_l1 == row.l1 * KiB);
        CHECK(t.beyond_l2 == row.l2 * KiB);
        CHECK(t.beyond_l3 == doctest::Approx(row.l3 * KiB));
    }
}

TEST_CASE(
    "what comes in is in runs: whole arrays row by row, lines down a strip, and rows of a few in turn") {
    const double n = 1024, of_one = n * n * 4;
    const auto runs = [&](const Loops &loops) {
        NestedStage stage = copy(1024);
        stage.nest.loops = loops;
        const Traffic t = memory_traffic(stage, round_machine());
        CHECK(t.runs_beyond_l3 / t.runs_beyond_l2 == doctest::Approx(t.beyond_l3 / t.beyond_l2));
        return t.runs_beyond_l2;
    };
    const Loops vectors = {{0, 8, Kind::serial}, {0, 1, Kind::vector}};
    const auto around = [&](Loops loops) {
        for (const Loop &l : vectors) {
            loops.nest(l);
        }
        return loops;
    };
    // One run for x and one for y.
    CHECK(runs(around({{1, 1, Kind::serial}})) == doctest::Approx(2));
    CHECK(runs({}) == doctest::Approx(2));
    // Each task a row of its own.
    CHECK(runs(around({{1, 1, Kind::parallel}})) == doctest::Approx(2 * n));
    // Down strips of one and of four lines.
    CHECK(runs(around({{0, 16, Kind::serial}, {1, 1, Kind::serial}})) == doctest::Approx(2 * of_one / 64));
    CHECK(runs(around({{0, 64, Kind::serial}, {1, 1, Kind::serial}})) == doctest::Approx(2 * of_one / 256));
    // Eight rows in turn go on with what each began, until their ends, where the next one begins.
    CHECK(runs({{1, 8, Kind::parallel}, {0, 8, Kind::serial}, {1, 1, Kind::serial}, {0, 1, Kind::vector}}) ==
          doctest::Approx(2 * n / 8));
    // Of 32 rows nobody knows where the next one goes on.
    CHECK(
        runs({{1, 32, Kind::parallel}, {0, 16, Kind::serial}, {1, 1, Kind::serial}, {0, 1, Kind::vector}}) ==
        doctest::Approx(2 * of_one / 64));
}

TEST_CASE("a nest that names no loops moves the same bytes as one that does") {
    for (const int64_t n : {64, 96, 256, 1024}) {
        INFO(n);
        NestedStage without = copy(n);
        without.nest.loops = {};
        const Traffic t = memory_traffic(without, round_machine()),
                      with_loops = memory_traffic(copy(n), round_machine());
        CHECK(t.beyond_l1 == with_loops.beyond_l1);
        CHECK(t.beyond_l2 == with_loops.beyond_l2);
        CHECK(t.beyond_l3 == doctest::Approx(with_loops.beyond_l3));
    }
}

TEST_CASE("the third level is all cores': a parallel nest has their shares, and what does not quite fit "
          "stays in part") {
    NestedStage stage = copy(1024);  // 8 MiB in all
    stage.nest.loops.run_as(0, Loop::Kind::parallel);
    Machine m = round_machine();
    m.cores = 2;  // 2 x 4 MiB
    CHECK(memory_traffic(stage, m).beyond_l3 == 0);
    m.cores = 1;
    CHECK(memory_traffic(stage, m).beyond_l3 > 0);
    stage.nest.loops.run_as(0, Loop::Kind::serial);
    m.cores = 2;  // but one runs
    CHECK(memory_traffic(stage, m).beyond_l3 > 0);
    stage.nest.loops.run_as(0, Loop::Kind::parallel);
    double last = 1;
    for (const int64_t n : {1024, 1152, 1280, 1536, 2048, 4096}) {
        NestedStage larger = copy(n);
        larger.nest.loops.run_as(0, Loop::Kind::parallel);
        const double share = memory_traffic(larger, m).beyond_l3 / (3.0 * 4 * static_cast<double>(n * n));
        INFO(n);
        CHECK(share >= (n == 1024 ? 0 : last));
        CHECK(share < 1);
        last = share;
    }
    CHECK(last > 0.99);
}

TEST_CASE("what is found locally, and what is kept locally, is not moved") {
    NestedStage stage = copy(2048);
    stage.local = {0};
    const double missed = 1 - 0.0198271;  // 16 MiB in the 4 of the third level
    CHECK(memory_traffic(stage, round_machine()).beyond_l3 == doctest::Approx(2 * 16384 * 1024 * missed));
    Machine without_reading_first = round_machine();
    without_reading_first.store_transfers = 1;
    CHECK(memory_traffic(stage, without_reading_first).beyond_l3 == doctest::Approx(16384 * 1024 * missed));
    stage.stores_locally = true;
    CHECK(memory_traffic(stage, round_machine()).beyond_l3 == 0);
    stage.local.clear();
    CHECK(memory_traffic(stage, round_machine()).beyond_l2 == 16384 * 1024);
}

TEST_CASE("a larger cache never moves more, and tiles that are used again move less") {
    const Loops rows = {
        {1, 1, Kind::serial}, {2, 1, Kind::serial}, {0, 8, Kind::serial}, {0, 1, Kind::vector}};
    const Loops tiles = {{0, 16, Kind::serial}, {1, 4, Kind::serial}, {2, 1, Kind::serial},
                         {1, 1, Kind::unroll},  {0, 8, Kind::unroll}, {0, 1, Kind::vector}};
    for (const auto &loops : {rows, tiles}) {
        double before = 1e300;
        for (Bytes bytes = 1024; bytes <= Bytes{1} << 26; bytes *= 2) {
            Machine m = round_machine();
            m.l1.bytes = bytes;
            const double now = memory_traffic(matmul(512, loops), m).beyond_l1;
            CHECK(now <= before);
            before = now;
        }
        CHECK(before == 0);
    }
    CHECK(memory_traffic(matmul(512, tiles), round_machine()).beyond_l1 <
          memory_traffic(matmul(512, rows), round_machine()).beyond_l1 / 2);
}

TEST_CASE(
    "traffic is at least what has to come once, and each level lets through no more than the one before") {
    for (const int64_t n : {100, 512, 1024}) {
        const NestedStage stage =
            matmul(n, {{0, 16, Kind::serial}, {1, 4, Kind::serial}, {2, 1, Kind::serial}});
        const Traffic t = memory_traffic(stage, round_machine());
        CHECK(t.beyond_l1 >= t.beyond_l2);
        CHECK(t.beyond_l2 >= t.beyond_l3);
        if (t.beyond_l3 > 0) {
            CHECK(t.beyond_l3 >= static_cast<double>(n * n * 4 * 2));
        }
    }
}

TEST_CASE("rows a multiple of a way apart share sets: less of a cache holds them") {
    // A panel of 64 columns and all n rows of b, 128 KiB, for each 8 rows of c.
    const Loops panels = {{0, 64, Kind::serial}, {1, 8, Kind::serial}, {2, 1, Kind::serial},
                          {1, 1, Kind::unroll},  {0, 8, Kind::unroll}, {0, 1, Kind::vector}};
    const NestedStage apart = matmul(520, panels),
                      together = matmul(512, panels);  // rows 2080 and 2048 bytes apart
    const Machine m = round_machine();
    CHECK(memory_traffic(together, m).beyond_l2 > 5 * memory_traffic(apart, m).beyond_l2);
    SUBCASE("not those of a packed copy") {
        NestedStage packed = together;
        for (Load &load : packed.work.edit().loads) {
            load.packed = true;
        }
        CHECK(memory_traffic(packed, m).beyond_l2 < 1.1 * memory_traffic(apart, m).beyond_l2);
    }
    SUBCASE("what comes from the second level then is told apart") {
        const Traffic of_apart = memory_traffic(apart, m), of_together = memory_traffic(together, m);
        CHECK(of_apart.runs_beyond_l1 > 0);
        CHECK(of_apart.conflicts_beyond_l1 == 0);
        CHECK(of_together.conflicts_beyond_l1 > 0.9 * of_apart.runs_beyond_l1);
        CHECK(of_together.conflicts_beyond_l1 <= of_together.runs_beyond_l1);
        Machine waits = m;
        waits.l2_run_seconds = 1e-9;
        waits.l2_conflict_seconds = 4e-9;
        for (const NestedStage &stage : {apart, together}) {
            const Traffic t = memory_traffic(stage, m);
            CHECK(price({stage}, waits).total() - price({stage}, m).total() ==
                  doctest::Approx(t.runs_beyond_l1 * 1e-9 + t.conflicts_beyond_l1 * 4e-9));
        }
    }
    SUBCASE("not where sets are chosen by other bits") {
        Machine other = m;
        other.conflict_bytes = 2048 + 32;  // 520 floats
        CHECK(memory_traffic(together, other).beyond_l2 < 1.1 * memory_traffic(apart, m).beyond_l2);
        CHECK(memory_traffic(apart, other).beyond_l2 > 5 * memory_traffic(apart, m).beyond_l2);
    }
    SUBCASE("the third level's sets are chosen by all of an address") {
        const int64_t n = 1024;
        CHECK(memory_traffic(matmul(n, panels), m).beyond_l3 <=
              1.02 * memory_traffic(matmul(n + 8, panels), m).beyond_l3);
    }
}

TEST_CASE("loads beside each other read what lies between the first and the last once; loads far apart read "
          "each their own") {
    const auto copies = [](const std::vector<double> &offsets) {
        Sketch s;
        const FuncId x = s.input("x", {1 << 22});
        s.output(s.pointwise("y", {1 << 20}, {{x, {at(0)}}}));
        NestedStage stage;
        stage.work = stage_work(s.graph(), 0, {false, false});
        const Load first = stage.work->loads.front();
        stage.work.edit().loads.clear();
        for (const double offset : offsets) {
            stage.work.edit().loads.push_back(first);
            stage.work.edit().loads.back().access.indices[0].offset = offset;
            stage.work.edit().loads.back().access.indices[0].exact = offset == 0;
        }
        stage.nest.loops = {{0, 8, Kind::serial}, {0, 1, Kind::vector}};
        return memory_traffic(stage, round_machine()).beyond_l2;
    };
    const double one = copies({0});
    CHECK(copies({0, 1, 2}) == doctest::Approx(one).epsilon(1e-3));
    CHECK(copies({-1, 3}) == doctest::Approx(one).epsilon(1e-3));
    const double stored = 2.0 * (1 << 22);
    CHECK(copies({0, 1 << 21}) - stored == doctest::Approx(2 * (one - stored)).epsilon(1e-3));
    CHECK(copies({0, 1 << 21, 1, 2, 3}) - stored == doctest::Approx(2 * (one - stored)).epsilon(1e-3));
}
