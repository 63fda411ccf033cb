// What a loop pays that goes from page to page, on a made-up machine.

#include <doctest/doctest.h>

#include "cost/cost.h"
#include "tests/support/graphs.h"
#include "tests/support/machines.h"

using namespace eutectic;
using namespace eutectic::test;

namespace {

using Kind = Loop::Kind;

}  // namespace

TEST_CASE("a loop down more rows than the pages that are nearest takes the next level's time for each") {
    const auto cycles = [](int near, int mapped) {
        Machine m = round_machine();
        m.near_pages = near;
        m.far_page_cycles = 5;
        m.mapped_pages = mapped;
        m.unmapped_cycles = 20;
        Sketch s;
        const FuncId a = s.input("a", {64, 64}), b = s.input("b", {1024, 64});
        s.output(s.matmul("c", a, b, 1024, 64, 64));
        NestedStage stage;
        stage.work = stage_work(s.graph(), 1, {false, false, false});
        stage.nest.loops = {{0, 8, Kind::serial},
                            {1, 4, Kind::serial},
                            {2, 1, Kind::serial},
                            {1, 1, Kind::unroll},
                            {0, 1, Kind::vector}};
        stage.accumulates_in_registers = stage.stores_locally = true;
        return compute_cycles(stage, m) / (1024. / 8 * 16 * 64);
    };
    const double none = cycles(64, 1 << 20);
    CHECK(cycles(63, 1 << 20) - none == doctest::Approx(5));
    CHECK(cycles(63, 63) - none == doctest::Approx(20));
}

TEST_CASE("a loop down more rows than there are pages at hand looks each up") {
    const struct {
        int64_t columns;
        int pages;
        double cycles;
    } table[] = {{1024, 64, 0}, {1024, 63, 20}, {2048, 63, 20}, {512, 32, 0}, {512, 31, 10}, {64, 1, 0}};
    for (const auto &row : table) {
        INFO(row.columns << " " << row.pages);
        const auto cycles = [&](int pages) {
            Sketch s;
            const FuncId a = s.input("a", {64, 64}), b = s.input("b", {row.columns, 64});
            s.output(s.matmul("c", a, b, row.columns, 64, 64));
            NestedStage stage;
            stage.work = stage_work(s.graph(), 1, {false, false, false});
            stage.nest.loops = {{0, 8, Kind::serial},
                                {1, 4, Kind::serial},
                                {2, 1, Kind::serial},
                                {1, 1, Kind::unroll},
                                {0, 1, Kind::vector}};
            stage.accumulates_in_registers = stage.stores_locally = true;
            Machine m = round_machine();
            m.mapped_pages = pages;
            m.unmapped_cycles = 20;
            return compute_cycles(stage, m);
        };
        const double blocks = static_cast<double>(row.columns) / 8 * 16 * 64;
        // 64 rows of 256 bytes are 4 pages.
        CHECK((cycles(row.pages) - cycles(1 << 20)) / blocks ==
              doctest::Approx(row.columns == 64 ? 20. / 16 : row.cycles));
    }
}
