// Cycles worked out by hand on a made-up machine: vectors of 8 floats, 2 operations, 2 loads and 1 store a
// cycle, an FMA after 4, a division in 8, an exp in 16, 16 registers. Each pass through the innermost block
// costs one cycle more for the loop itself.

#include <doctest/doctest.h>

#include "cost/cost.h"
#include "cost/innermost_block.h"
#include "pointwise.h"
#include "tests/support/graphs.h"
#include "tests/support/machines.h"

using namespace eutectic;
using namespace eutectic::test;

namespace {

using Kind = Loop::Kind;

/** 64 x 64 x 64 in register tiles of `rows` x `vectors`. */
NestedStage matmul(int64_t rows, int64_t vectors, bool in_registers) {
    Sketch s;
    const FuncId a = s.input("a", {64, 64}), b = s.input("b", {64, 64});
    s.output(s.matmul("c", a, b, 64, 64, 64));
    NestedStage stage;
    stage.work = stage_work(s.graph(), 1, {false, false, false});
    stage.nest.loops = {{0, 8 * vectors, Kind::serial}, {1, rows, Kind::serial}, {2, 1, Kind::serial},
                        {1, 1, Kind::unroll},           {0, 8, Kind::unroll},    {0, 1, Kind::vector}};
    stage.accumulates_in_registers = stage.stores_locally = in_registers;
    return stage;
}

}  // namespace

TEST_CASE("pointwise work on 64 x 64 points") {
    const ExprSummary nothing = work(0), add = work(1);
    ExprSummary libm;
    libm.libm_calls = 1;
    const Table<DimId, At> same = {at(0), at(1)};
    const struct {
        const char *what;
        NestedStage stage;
        double cycles;
    } table[] = {
        {"512 vectors, one store each", pointwise(same, add, vectors_of_rows), 512 * (1 + 1)},
        {"4096 scalars, one store each", pointwise(same, add, {}), 4096 * (1 + 1)},
        {"6 additions at 2 a cycle", pointwise(same, work(6), vectors_of_rows), 512 * (3 + 1)},
        {"an exp", pointwise(same, work(0, 0, 1), vectors_of_rows), 512 * (16 + 1)},
        {"an exp in each of two registers: 0.84 of the time", pointwise(same, work(0, 0, 1), pairs_of_rows),
         256 * (2 * 16 * 0.84 + 1)},
        {"a division", pointwise(same, work(0, 1), vectors_of_rows), 512 * (8 + 1)},
        {"8 calls of the C library, 10 ns each", pointwise(same, libm, vectors_of_rows), 512 * (80 + 1)},
        {"8 lanes gathered one by one", pointwise({at(1), at(0)}, nothing, vectors_of_rows), 512 * (8 + 1)},
        {"the same, data-dependent", pointwise({unknown(), at(1)}, nothing, vectors_of_rows), 512 * (8 + 1)},
        {"every other point: 2 loads and a shuffle",
         pointwise({scaled(0, 2), at(1)}, nothing, vectors_of_rows), 512 * (1.5 + 1)},
        {"every fourth point: 4 loads and 3 shuffles",
         pointwise({scaled(0, 4), at(1)}, nothing, vectors_of_rows), 512 * (3.5 + 1)},
        {"every sixteenth point: no more than lane by lane",
         pointwise({scaled(0, 16), at(1)}, nothing, vectors_of_rows), 512 * (8 + 1)},
        {"each point twice: 2 loads and a shuffle",
         pointwise({scaled(0, 0.5), at(1)}, nothing, vectors_of_rows), 512 * (1.5 + 1)},
        {"each point four times", pointwise({scaled(0, 0.25), at(1)}, nothing, vectors_of_rows),
         512 * (8 + 1)},
        {"three points of two", pointwise({scaled(0, 1.5), at(1)}, nothing, vectors_of_rows), 512 * (8 + 1)},
        {"one value for all lanes", pointwise({at(1)}, nothing, vectors_of_rows), 512 * (1 + 1)},
    };
    for (const auto &row : table) {
        INFO(row.what);
        CHECK(compute_cycles(row.stage, round_machine()) == doctest::Approx(row.cycles));
    }
}

TEST_CASE("operations fill vectors by their own width, loads by that of what is loaded") {
    // 32 bytes are stored at once, by vectors of 32 lanes; as floats these are four instructions.
    const Loops vectors = {{1, 1, Kind::parallel}, {0, 32, Kind::serial}, {0, 1, Kind::vector}};
    const auto cycles = [&](int bytes_of_operation, int bytes_loaded) {
        ExprSummary body;
        body.add_flops(6, bytes_of_operation);
        NestedStage stage = pointwise({at(0), at(1)}, body, vectors);
        StageWork &work = stage.work.edit();
        work.element_bytes = work.stored_bytes = 1;
        work.loads.front().bytes_per_point = bytes_loaded;
        return compute_cycles(stage, round_machine()) / 128;
    };
    CHECK(cycles(1, 1) == doctest::Approx(3 + 1));
    CHECK(cycles(2, 1) == doctest::Approx(6 + 1));
    CHECK(cycles(4, 1) == doctest::Approx(12 + 1));
    CHECK(cycles(1, 8) == doctest::Approx(4 + 1));  // eight loads at two a cycle
}

TEST_CASE("what costs more because of its type takes its own vectors, or its lanes") {
    Machine m = round_machine();
    const auto price = [&](TypedOperation operation) -> double & {
        return m.typed_cycles[static_cast<size_t>(operation)];
    };
    price(TypedOperation::multiply_8) = 2;
    price(TypedOperation::integer_divide_32) = 40;
    const auto cycles = [&](TypedOperation operation, int bytes, int64_t lanes, bool division) {
        ExprSummary body;
        (division ? body.divisions : body.flops) = 1;
        body.operand_bytes = bytes;
        body.add_typed(operation, 1);
        const Loops vectors = {{1, 1, Kind::parallel}, {0, lanes, Kind::serial}, {0, 1, Kind::vector}};
        NestedStage stage = pointwise({at(0), at(1)}, body, vectors);
        StageWork &work = stage.work.edit();
        work.element_bytes = work.stored_bytes = work.loads.front().bytes_per_point = bytes;
        return compute_cycles(stage, m) / (4096. / static_cast<double>(lanes));
    };
    CHECK(cycles(TypedOperation::multiply_8, 1, 32, false) == doctest::Approx(2 + 1));
    CHECK(cycles(TypedOperation::multiply_8, 1, 64, false) == doctest::Approx(4 + 1));
    CHECK(cycles(TypedOperation::integer_divide_32, 4, 8, true) == doctest::Approx(40 + 1));
    // Half a vector: half the lanes, beyond the division that it is counted as.
    CHECK(cycles(TypedOperation::integer_divide_32, 4, 4, true) == doctest::Approx(8 + 32 / 2. + 1));
    price(TypedOperation::multiply_8) = 0.25;  // no less than the operation that it is counted as
    CHECK(cycles(TypedOperation::multiply_8, 1, 64, false) == doctest::Approx(2 + 1));
}

TEST_CASE("guards remain in the first and the last block along each dim that they depend on") {
    ExprSummary body = work(2);
    body.guards = 8;
    const auto cycles = [&](const DimFlags &guarded, const Loops &loops, double of_blocks = 1) {
        NestedStage stage = pointwise({at(0), at(1)}, body, loops);
        stage.work.edit().parts.front().guarded = guarded;
        stage.work.edit().dims[1].blocks = of_blocks;
        return compute_cycles(stage, round_machine());
    };
    const double blocks = 512, without = 2 / 2, guards = 8 / 2;
    CHECK(cycles({false, false}, vectors_of_rows) == doctest::Approx(blocks * (without + 1)));
    CHECK(cycles({false, true}, vectors_of_rows) ==
          doctest::Approx(blocks * (without + guards * 2 / 64 + 1)));
    CHECK(cycles({true, false}, vectors_of_rows) == doctest::Approx(blocks * (without + guards * 2 / 8 + 1)));
    CHECK(cycles({true, true}, vectors_of_rows) ==
          doctest::Approx(blocks * (without + guards * (1 - (1 - 2. / 64) * (1 - 2. / 8)) + 1)));
    // Blocks of 64 rows: there is but one.
    const Loops one_block = {{0, 8, Kind::serial}, {1, 1, Kind::unroll}, {0, 1, Kind::vector}};
    CHECK(cycles({false, true}, one_block) == doctest::Approx(8 * (64 * (without + guards) + 1)));
    // Or but one of ten that are looked at one at a time.
    CHECK(cycles({false, true}, one_block, 10) ==
          doctest::Approx(8 * (64 * (without + guards * 2 / 10) + 1)));
    CHECK(cycles({false, true}, vectors_of_rows, 10) ==
          doctest::Approx(blocks * (without + guards * 2 / 640 + 1)));
    // Rows in 4 tasks of 16: Halide cuts the tasks, and the rows of the first and the last of them not again.
    const Loops tasks = {
        {1, 16, Kind::parallel}, {1, 1, Kind::serial}, {0, 8, Kind::serial}, {0, 1, Kind::vector}};
    CHECK(cycles({false, true}, tasks) == doctest::Approx(blocks * (without + guards * 2 / 4 + 1)));
}

TEST_CASE("where vectors are clamped, guards along the rows remain everywhere") {
    ExprSummary body = work(2);
    body.guards = 8;
    NestedStage stage = pointwise({at(0), at(1)}, body, vectors_of_rows);
    stage.work.edit().parts.front().guarded = {false, true};
    const double few = compute_cycles(stage, round_machine());
    stage.work.edit().loads.front().access.indices[0].cut = true;
    CHECK(few == doctest::Approx(512 * (1 + 4 * 2. / 64 + 1)));
    CHECK(compute_cycles(stage, round_machine()) == doctest::Approx(512 * (1 + 4 + 1)));
}

TEST_CASE("code: what the innermost block unrolls") {
    const Machine m = round_machine();
    CHECK(code_bytes(matmul(4, 2, true), m) == doctest::Approx((4 * 2 + 4 + 2) * m.instruction_bytes));
    CHECK(code_bytes(pointwise({at(0), at(1)}, work(3), vectors_of_rows), m) ==
          doctest::Approx((3 + 1) * m.instruction_bytes));
    // An exp of 16 cycles at 2 operations each.
    CHECK(code_bytes(pointwise({at(0), at(1)}, work(0, 0, 1), vectors_of_rows), m) ==
          doctest::Approx((32 + 1) * m.instruction_bytes));
}

TEST_CASE("a register tile: issue rate, latency, spills, and accumulators in memory") {
    const Machine m = round_machine();
    // 4 x 2 vectors: 8 FMAs in 4 cycles, (4 + 2) loads in 3, a chain's latency of 4.
    CHECK(compute_cycles(matmul(4, 2, true), m) == doctest::Approx(4096 * (4 + 1)));
    // 1 x 1: nothing else to issue while the chain waits.
    CHECK(compute_cycles(matmul(1, 1, true), m) == doctest::Approx(32768 * (4 + 1)));
    // 8 x 2: 16 accumulators, two operands and a scratch register are 3 more than 16: a store and a load
    // each.
    CHECK(compute_cycles(matmul(8, 2, true), m) == doctest::Approx(2048 * (8 + 3 * 1.5 + 1)));
    // 3 x 4: 12 accumulators, 4 vectors that all rows read and a scratch register: one accumulator goes
    // through memory, and its chain waits for that (4 more).
    const NestedStage wide = matmul(3, 4, true);
    CHECK(compute_cycles(wide, m) == doctest::Approx(innermost_block(wide).repeats * (8 + 1.5 + 1)));
    // Two terms of it unrolled, one after the other, hold as many.
    NestedStage terms = wide;
    terms.nest.loops = {{0, 32, Kind::serial}, {1, 3, Kind::serial}, {2, 2, Kind::serial},
                        {2, 1, Kind::unroll},  {1, 1, Kind::unroll}, {0, 8, Kind::unroll},
                        {0, 1, Kind::vector}};
    CHECK(compute_cycles(terms, m) == doctest::Approx(innermost_block(terms).repeats * (12 + 1.5 + 1)));
    // 4 x 2 in memory: 8 stores, and the chain waits for them (4 more).
    CHECK(compute_cycles(matmul(4, 2, false), m) == doctest::Approx(4096 * (8 + 1)));
}

TEST_CASE("an update that goes on with other results does not wait for the last one") {
    NestedStage stage = matmul(1, 1, false);
    // One FMA, two loads and a store; a chain of 4 and the way through memory of 4 where the next term of the
    // same sum comes next.
    CHECK(compute_cycles(stage, round_machine()) == doctest::Approx(32768 * (8 + 1)));
    stage.nest.loops = {
        {2, 1, Kind::serial}, {1, 1, Kind::serial}, {0, 8, Kind::serial}, {0, 1, Kind::vector}};
    // Half a cycle for b and half for the sum; what a has is the same for all eight vectors of a row.
    CHECK(compute_cycles(stage, round_machine()) == doctest::Approx(32768 * (1 + 1. / 16 + 1)));
}

TEST_CASE("rows of sums in memory: what is loaded again, of 4 of them and 8 terms") {
    NestedStage stage = matmul(1, 1, false);
    const Loops outside = {{2, 8, Kind::serial}, {1, 4, Kind::serial}},
                terms = {{1, 1, Kind::unroll}, {2, 1, Kind::unroll}};
    const auto again = [&](int64_t lanes) {
        Loops loops = outside;
        loops.nest({0, lanes, Kind::serial}).nest(terms).vectorize(0);
        stage.nest.loops = loops;
        const double issues = static_cast<double>(lanes) / 8;
        return loads_again(stage, innermost_block(stage), 4 * issues, issues, round_machine());
    };
    // The sums; 32 values of a, 8 vectors of b and a scratch register are 25 more than 16.
    CHECK(again(8) == doctest::Approx(4 + 25));
    // Vectors of two registers: no value of a stays, and the 16 registers of b are loaded for each row.
    CHECK(again(16) == doctest::Approx(8 + 32 + 3 * 16));
    stage.accumulates_in_registers = true;
    CHECK(again(8) == 0);
}

TEST_CASE("rows of a tile whose pitch the estimates do not settle") {
    Machine m = round_machine();
    const auto more = [&](int64_t rows) {
        m.any_pitch_share = 0;
        const double never = compute_cycles(matmul(rows, 1, true), m);
        m.any_pitch_share = 0.25;
        return (compute_cycles(matmul(rows, 1, true), m) - never) /
               (64. / static_cast<double>(rows) * 8 * 64);
    };
    CHECK(more(8) == doctest::Approx(0));
    CHECK(more(16) ==
          doctest::Approx(0.25 * 8 * 64 * m.hertz /
                          m.l2.bytes_per_second));  // 8 lines beyond the ways come from the second level
}

TEST_CASE("where a vector takes two turns, one of half the width takes one") {
    NestedStage stage = pointwise({at(0), at(1)}, work(8, 1, 1), vectors_of_rows);
    Machine m = round_machine();
    const double whole = compute_cycles(stage, m);
    m.datapath_bits = 128;
    CHECK(compute_cycles(stage, m) == whole);
    // Half of the lanes: twice the vectors, at half the price but for the loop around each.
    Loops halves;
    for (Loop loop : stage.nest.loops) {
        loop.size = loop.dim == 0 && loop.size == 8 ? 4 : loop.size;
        halves.nest(loop);
    }
    stage.nest.loops = halves;
    const double vectors = 512;
    CHECK(compute_cycles(stage, m) == doctest::Approx(whole + vectors * m.loop_cycles));
    m.datapath_bits = 256;
    CHECK(compute_cycles(stage, m) == doctest::Approx(2 * whole));
}

TEST_CASE("fewer registers are never cheaper, and no more than the tile needs help") {
    for (const int64_t rows : {1, 2, 4, 8, 16}) {
        for (const int64_t vectors : {1, 2, 4}) {
            double before = 0;
            for (int registers = 128; registers >= 1; registers--) {
                Machine m = round_machine();
                m.vector_registers = registers;
                const double now = compute_cycles(matmul(rows, vectors, true), m);
                CHECK(now >= before);
                before = now;
            }
            Machine many = round_machine(), more = many;
            many.vector_registers = 80;
            more.vector_registers = 1000;
            CHECK(compute_cycles(matmul(rows, vectors, true), many) ==
                  compute_cycles(matmul(rows, vectors, true), more));
        }
    }
}

TEST_CASE("slower units are never cheaper") {
    const NestedStage stages[] = {matmul(4, 2, true), matmul(4, 2, false),
                                  pointwise({at(1), at(0)}, work(3, 1, 1), vectors_of_rows)};
    void (*const slower[])(Machine &) = {
        [](Machine &m) { m.vector_ops_per_cycle /= 2; },   [](Machine &m) { m.fma_latency_cycles *= 2; },
        [](Machine &m) { m.loads_per_cycle /= 2; },        [](Machine &m) { m.stores_per_cycle /= 2; },
        [](Machine &m) { m.division_cycles *= 2; },        [](Machine &m) { m.exp_cycles *= 2; },
        [](Machine &m) { m.gather_cycles_per_lane *= 2; },
    };
    for (const NestedStage &stage : stages) {
        for (const auto change : slower) {
            Machine m = round_machine();
            change(m);
            CHECK(compute_cycles(stage, m) >= compute_cycles(stage, round_machine()));
        }
    }
}

TEST_CASE("what is computed in the same nest is not loaded") {
    NestedStage stage = pointwise({at(1), at(0)}, work(1), vectors_of_rows);
    stage.local = {0};
    CHECK(compute_cycles(stage, round_machine()) == doctest::Approx(512 * (1 + 1)));
}

TEST_CASE("buffers beyond the ways of the first level are missed at every line") {
    const auto cycles = [](int inputs) {
        Sketch s;
        std::vector<Read> reads;
        for (int i = 0; i < inputs; i++) {
            reads.push_back({s.input("x" + std::to_string(i), {64, 64}), {at(0), at(1)}});
        }
        s.output(s.pointwise("y", {64, 64}, reads));
        NestedStage stage;
        stage.work = stage_work(s.graph(), 0, Table<FuncId, bool>(inputs + 1, false));
        stage.nest.loops = vectors_of_rows;
        return stream_cycles(stage, round_machine());
    };
    // 512 vectors, half a line each; 8 ways; a miss takes 5 cycles.
    CHECK(cycles(7) == 0);
    CHECK(cycles(8) == 512 * 2.5);
    CHECK(cycles(11) == 512 * 4 * 2.5);
}

TEST_CASE("rows that share a set in what is read and what is written are missed at every turn") {
    // y of 64 rows from x; `rows` of them inside the loop from vector to vector, or that inside of theirs.
    const auto down = [](int64_t rows) {
        return Loops{
            {1, rows, Kind::serial}, {0, 16, Kind::serial}, {1, 1, Kind::serial}, {0, 1, Kind::vector}};
    };
    const Loops along = {{1, 1, Kind::serial}, {0, 16, Kind::serial}, {0, 1, Kind::vector}};
    const auto missed = [](int64_t columns, int64_t pitch, const Table<DimId, At> &indices,
                           const Loops &loops) {
        Sketch s;
        const FuncId x = s.input("x", {pitch, pitch});
        s.output(s.pointwise("y", {columns, 64}, {{x, indices}}));
        NestedStage stage;
        stage.work = stage_work(s.graph(), 0, {false, false});
        stage.nest.loops = loops;
        return stream_cycles(stage, round_machine()) / 5;
    };
    // 16 floats, a line, at a time; 8 ways; a line of each buffer for each row.
    const double turns = 1024 * 64 / 16;
    CHECK(missed(1024, 1024, {at(0), at(1)}, down(4)) == 0);
    CHECK(missed(1024, 1024, {at(0), at(1)}, down(8)) == turns * (16 - 8) / 8);
    CHECK(missed(1024, 2048, {at(0), at(1)}, down(16)) == turns * (32 - 8) / 16);
    CHECK(missed(1024, 1024, {at(0), at(1)}, along) == 0);
    CHECK(missed(1024, 1030, {at(0), at(1)}, down(16)) == 0);
    CHECK(missed(1000, 1024, {at(0), at(1)}, down(16)) == 0);
    CHECK(missed(1024, 1024, {at(1), at(0)}, down(16)) == 0);  // across its rows
}

TEST_CASE("rows that share a set are missed at every turn where a sum goes along all of them at once") {
    // y(x, i) = y(x - 1, i) + y(x, i), `rows` of 64 at once.
    const auto missed = [](int64_t rows, int64_t columns, bool in_registers) {
        Sketch s;
        const FuncId x = s.input("x", {columns, 64});
        s.output(s.pointwise("y", {columns, 64}, {{x, {at(0), at(1)}}}));
        NestedStage stage;
        stage.work = stage_work(s.graph(), 0, {false, false});
        stage.work.edit().loads.clear();
        stage.work.edit().accumulates = true;
        stage.nest.loops = {{1, rows, Kind::serial}, {0, 1, Kind::serial}, {1, 1, Kind::serial}};
        stage.accumulates_in_registers = in_registers;
        return stream_cycles(stage, round_machine()) / 5;
    };
    const double points = 1024 * 64;
    CHECK(missed(8, 1024, false) == 0);  // as many lines as a set holds
    CHECK(missed(16, 1024, false) == points * (16 - 8) / 16);
    CHECK(missed(16, 1030, false) == 0);
    CHECK(missed(16, 1024, true) == 0);
}
