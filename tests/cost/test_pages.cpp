// What a loop pays that goes from page to page, on a made-up machine.

#include <doctest/doctest.h>

#include "cost/cost.h"
#include "tests/support/graphs.h"
#include "tests/support/machines.h"

using namespace eutectic;
using namespace eutectic::test;

namespace {

using Kind = Loop::Kind;

/** Of one block of a tile of 4 rows x 8 columns that goes down 64 rows of b, each of so many floats. */
double cycles(int64_t columns, const Machine &m) {
    Sketch s;
    const FuncId a = s.input("a", {64, 64}), b = s.input("b", {columns, 64});
    s.output(s.matmul("c", a, b, columns, 64, 64));
    NestedStage stage;
    stage.work = stage_work(s.graph(), 1, {false, false, false});
    stage.nest.loops = {{0, 8, Kind::serial},
                        {1, 4, Kind::serial},
                        {2, 1, Kind::serial},
                        {1, 1, Kind::unroll},
                        {0, 1, Kind::vector}};
    stage.accumulates_in_registers = stage.stores_locally = true;
    return compute_cycles(stage, m) / (static_cast<double>(columns) / 8 * 16 * 64);
}

Machine with_pages(int mapped) {
    Machine m = round_machine();
    m.mapped_pages = mapped;
    m.unmapped_cycles = 20;
    return m;
}

}  // namespace

TEST_CASE("a loop down more rows than the pages that are nearest takes the next level's time for each") {
    const auto with_near = [](int near, int mapped) {
        Machine m = with_pages(mapped);
        m.near_pages = near;
        m.far_page_cycles = 5;
        return cycles(1024, m);
    };
    const double none = with_near(64, 1 << 20);
    CHECK(with_near(63, 1 << 20) - none == doctest::Approx(5));
    CHECK(with_near(63, 63) - none == doctest::Approx(20));
}

TEST_CASE("a loop down more rows than there are pages at hand looks each up") {
    const struct {
        int64_t columns;
        int pages;
        double cycles;
    } table[] = {{1024, 64, 0}, {1024, 63, 20}, {2048, 63, 20}, {512, 32, 0}, {512, 31, 10}, {64, 1, 0}};
    for (const auto &row : table) {
        INFO(row.columns << " " << row.pages);
        // 64 rows of 256 bytes are 4 pages.
        CHECK(cycles(row.columns, with_pages(row.pages)) - cycles(row.columns, with_pages(1 << 20)) ==
              doctest::Approx(row.columns == 64 ? 20. / 16 : row.cycles));
    }
}
