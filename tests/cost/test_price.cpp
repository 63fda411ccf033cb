#include <doctest/doctest.h>

#include "cost/cost.h"
#include "tests/support/graphs.h"
#include "tests/support/machines.h"

using namespace eutectic;
using namespace eutectic::test;

namespace {

using Kind = Loop::Kind;

/** exp of 64 columns and `rows` rows, one parallel task for each `chunk` rows (0: no parallel loop). Fits the
 * first level. */
NestedStage rows_of_exp(int64_t rows, int64_t chunk) {
    Sketch s;
    const FuncId x = s.input("x", {64, rows});
    s.output(s.pointwise("y", {64, rows}, {{x, {at(0), at(1)}}}, work(0, 0, 1)));
    NestedStage stage;
    stage.work = stage_work(s.graph(), 0, {false, false});
    if (chunk > 0) {
        stage.nest.loops.parallel(1, chunk);
    }
    stage.nest.loops.split(1, 1);
    stage.nest.loops.split(0, 8);
    stage.nest.loops.vectorize(0);
    return stage;
}

/** y(x, y) = body of a point of 64 MiB, which no level holds. */
NestedStage large_pass(const ExprSummary &body, const Loops &loops) {
    Sketch s;
    const FuncId x = s.input("x", {4096, 4096});
    s.output(s.pointwise("y", {4096, 4096}, {{x, {at(0), at(1)}}}, body));
    NestedStage stage;
    stage.work = stage_work(s.graph(), 0, {false, false});
    stage.nest.loops = loops;
    return stage;
}

}  // namespace

TEST_CASE("a buffer that the process keeps costs a call, a larger one every page as well") {
    const Machine m = round_machine();
    CHECK(allocation_cost(100, m) == m.allocation_seconds);
    CHECK(allocation_cost(m.kept_allocation_bytes, m) == m.allocation_seconds);
    CHECK(allocation_cost(2 * m.kept_allocation_bytes, m) ==
          doctest::Approx(m.allocation_seconds + 16384 * m.fresh_page_seconds));
}

TEST_CASE("buffers that live together are mapped anew when they are more than the allocator keeps") {
    const Machine m = round_machine();
    const auto pages = [&](const std::vector<Bytes> &buffers, Bytes other = 0) {
        return trimming_cost(buffers, m, other) / m.fresh_page_seconds;
    };
    REQUIRE(m.trimmed_bytes == 131072);
    REQUIRE(m.heap_pad_bytes == 131072);
    // Page faults of glibc 2.36 in turns of malloc, memset and free, which the model has to within one.
    const struct {
        std::vector<Bytes> buffers;
        double faults;
    } table[] = {
        {{131072}, 0},
        {{861184, 729000}, 0},
        {{861184, 802816}, 375},
        {{300000, 100000, 300000}, 139},
        {{300000, 100000, 100000, 100000, 100000}, 139},
        {{200000, 80000}, 0},  // the second fits into what the heap grew by for the first
        {{140000, 100000}, 0},
        {{200000, 200000}, 66},
        {{65536, 131072}, 16},
        {{65536, 65536, 65536, 65536, 65536}, 48},  // none of them is large enough to double what is kept
        {{90000, 90000}, 12},
        {{50000, 50000, 50000}, 5},
        {{262144, 65536, 65536, 256}, 0},  // the thread keeps the last one
    };
    for (const auto &row : table) {
        CAPTURE(row.buffers.size());
        CAPTURE(row.buffers.front());
        CHECK(std::abs(pages(row.buffers) - row.faults) <= 1);
    }
    Machine shares = m;  // an allocator that leaves nothing with the thread, or all of it
    shares.thread_kept_bytes = 0;
    CHECK(trimming_cost({1000, 131000, 131000}, m) < trimming_cost({1000, 131000, 131000}, shares));
    shares.thread_kept_bytes = 1 << 20;
    CHECK(trimming_cost({90000, 90000}, shares) == 0);
    CHECK(pages({2 * m.kept_allocation_bytes, 131071}) == 0);  // the first is never kept: allocation_cost()
    CHECK(pages({90000, 90000}, 262144) == 0);
    CHECK(pages({90000, 90000}, 2 * m.kept_allocation_bytes) > 0);
}

TEST_CASE("cycles over the clock over the cores; uneven tasks leave cores idle") {
    const Machine m = round_machine();  // 4 cores, 1 GHz, a launch 1 us, a task 100 ns
    const struct {
        const char *what;
        int64_t rows, chunk;
        double cores, busiest, tasks_a_core;  // busiest: the longest core's share over the mean
    } table[] = {
        {"one core", 16, 0, 1, 1, 0},
        {"one task", 16, 16, 1, 1, 1},
        {"two tasks", 16, 8, 2, 1, 1},
        {"four tasks", 16, 4, 4, 1, 1},
        {"five tasks on four cores", 20, 4, 4, 8.0 / 5, 2},
        {"sixteen tasks", 16, 1, 4, 1, 4},
        {"seventeen tasks", 17, 1, 4, 20.0 / 17, 5},
    };
    for (const auto &row : table) {
        INFO(row.what);
        const Cost c = price({rows_of_exp(row.rows, row.chunk)}, m);
        const double compute = static_cast<double>(row.rows) * 8 * (16 + 1) / 1e9 / row.cores;
        CHECK(c.compute == doctest::Approx(compute));
        CHECK(c.memory == 0);
        CHECK(c.idle == doctest::Approx(compute * (row.busiest - 1)));
        CHECK(c.launch == doctest::Approx(row.tasks_a_core > 0 ? 1e-6 + row.tasks_a_core * 1e-7 : 0));
        CHECK(c.total() == doctest::Approx(c.compute + c.memory + c.idle + c.launch));
    }
}

TEST_CASE("no parts, no cost; parts add up") {
    CHECK(price(std::vector<NestedStage>(), round_machine()).total() == 0);
    Cost a{1, 2, 3, 4};
    a += Cost{10, 20, 30, 40};
    CHECK(a.compute == 11);
    CHECK(a.memory == 22);
    CHECK(a.idle == 33);
    CHECK(a.launch == 44);
    CHECK(a.total() == 110);
    const Machine m = round_machine();
    const NestedStage one = rows_of_exp(64, 0);
    CHECK(price({one, one}, m).compute == doctest::Approx(2 * price({one}, m).compute));
}

TEST_CASE("the cost as text") {
    CHECK(to_string(Cost{1e-6, 2e-6, 0, 4e-9}) ==
          "3.00 us (compute 1.00 us, memory 2.00 us, idle 0.00 ns, launch 4.00 ns)");
}

TEST_CASE("traffic costs what arithmetic does not hide, and a little of what it does") {
    const Loops tasks = {
        {1, 1024, Kind::parallel}, {1, 1, Kind::serial}, {0, 8, Kind::serial}, {0, 1, Kind::vector}};
    const NestedStage light = large_pass(work(0), tasks), heavy = large_pass(work(0, 0, 100), tasks);
    const Machine m = round_machine();
    const Cost bound_by_memory = price({light}, m), bound_by_compute = price({heavy}, m);
    CHECK(bound_by_memory.memory > bound_by_memory.compute);
    CHECK(bound_by_compute.memory < 0.1 * bound_by_compute.compute);
    CHECK(bound_by_compute.memory > 0);
    // 64 MiB read, 128 moved by the store: at 10 GB/s at least.
    CHECK(bound_by_memory.total() > 3 * 64 * 1024 * 1024 / 1e10);
}

TEST_CASE("waits until runs of lines come add to traffic, but not where arithmetic goes on meanwhile") {
    const Loops strips = {// of 64 bytes, down all rows
                          {0, 16, Kind::parallel},
                          {1, 1, Kind::serial},
                          {0, 8, Kind::serial},
                          {0, 1, Kind::vector}};
    const NestedStage light = large_pass(work(0), strips), heavy = large_pass(work(0, 0, 100), strips);
    const Machine without = round_machine();
    Machine m = without;
    m.memory_run_seconds = 3e-9;
    const Seconds waits = 2 * 4096. * 4096 / 16 * m.memory_run_seconds / m.cores;  // of x and of y
    CHECK(price({light}, m).total() - price({light}, without).total() > 0.3 * waits);
    CHECK(price({heavy}, m).total() - price({heavy}, without).total() ==
          doctest::Approx(m.overlap_loss * waits).epsilon(0.01));
}

TEST_CASE("a line from memory takes longer in a run that ends before a page does") {
    const auto longer = [](int64_t points) {  // in strips of so many, down all rows
        const Loops strips = {
            {0, points, Kind::serial}, {1, 1, Kind::serial}, {0, 8, Kind::serial}, {0, 1, Kind::vector}};
        const Machine without = round_machine();
        Machine m = without;
        m.memory_short_line_seconds = 2e-9;
        const NestedStage stage = large_pass(work(0), strips);
        return price({stage}, m).total() - price({stage}, without).total();
    };
    CHECK(longer(1024) == 0);
    CHECK(longer(512) > 0);
    CHECK(longer(512) == longer(64));  // as many lines
}
