// Sums of products of narrow integers are summed up by instructions that take several products at once, with
// the values that they have as written: of which types, at which sizes, and with which instructions.

#include <doctest/doctest.h>

#include <cstdio>
#include <fstream>
#include <sstream>

#include "Halide.h"

#include "base/user_error.h"
#include "fusion/rules/rule.h"
#include "graph/read/narrow_product.h"
#include "schedules/autoschedule.h"
#include "schedules/rewrites.h"
#include "schedules/rewrites/made_rewrite.h"
#include "tests/schedules/jit_check.h"
#include "tests/support/machines.h"
#include "tests/support/occurrences.h"
#include "tests/support/pipelines.h"

using namespace Halide;
using namespace eutectic;
using namespace eutectic::test;

namespace {

Var x("x"), y("y"), z("z");

/** All values of its type, out of those from 0 to 99 that buffers are filled with. */
Expr anywhere(const Expr &e) {
    const Type t = e.type();
    return (e - cast(t, 50)) * cast(t, t.bits() == 8 ? 5 : 655);
}

/** mm(x, y) = sum of a(k, y) * b(x, k), of these types, `read` by what adds 3. */
Program product(const Type &of_a, const Type &of_b, bool read = true, bool all_values = true) {
    const auto value = [=](const Expr &e) { return cast<int>(all_values ? anywhere(e) : e); };
    const ImageParam a = image("a", {96, 64}, of_a), b = image("b", {64, 96}, of_b);
    const RDom k(a.dim(0).min(), a.dim(0).extent());
    Func mm("mm"), out("out");
    mm(x, y) = 1;
    mm(x, y) += value(a(k, y)) * value(b(x, k));
    out(x, y) = mm(x, y) + 3;
    const Func result = read ? out : mm;
    estimate(result, {64, 64});
    return {{a, b}, {result}, {}};
}

std::vector<Sizes> sizes() {
    std::vector<Sizes> all;
    for (const auto &[rows, columns, terms] : {std::array<int, 3>{64, 64, 96},
                                               {7, 33, 95},
                                               {1, 64, 5},
                                               {5, 1, 1},
                                               {13, 100, 2},
                                               {64, 17, 3},
                                               {6, 15, 101}}) {
        all.push_back({{{terms, rows}, {columns, terms}}, {{columns, rows}}});
    }
    return all;
}

/** The assembly of `program`, planned and compiled for `target`. */
std::string assembly(const Program &program, const std::string &target) {
    Pipeline pipeline(program.outputs);
    Parameters parameters;
    parameters.parallelism = 2;
    const Target t(target + "-no_runtime-no_asserts");
    autoschedule(pipeline, t, parameters);
    const std::string path = "test_dots_kernel.s";
    pipeline.compile_to_assembly(path, pipeline.infer_arguments(), "kernel", t);
    std::ifstream file(path);
    std::ostringstream text;
    text << file.rdbuf();
    std::remove(path.c_str());
    return text.str();
}

/** How many products the plan sums up at once. */
int64_t planned_terms(const std::vector<Func> &outputs, const Machine &machine) {
    const FusionPlan plan = plan_greedy(graph_of(outputs), machine, cpu_rules(cpu_rewrite_rules())).plan;
    for (const Group &g : plan.groups) {
        for (const Added &a : g.added) {
            if (a.name == "packed_terms") {
                return a.factor;
            }
        }
    }
    return 1;
}

const std::string avx2 = "x86-64-linux-sse41-avx-f16c-fma-avx2";
const std::string vnni = avx2 + "-avx512-avx512_skylake-avx512_cannonlake-avx512_sapphirerapids";
const std::string arm = "arm-64-linux-arm_dot_prod";

}  // namespace

TEST_CASE("products of narrow integers have the values that they have as written, of all types and sizes") {
    struct Case {
        Type a, b;
        const char *terms;
    };
    for (const Case &c : {Case{UInt(8), Int(8), ", 4)"},
                          {Int(8), UInt(8), ", 4)"},
                          {Int(8), Int(8), ", 2)"},
                          {UInt(8), UInt(8), ", 2)"},
                          {Int(16), Int(16), ", 2)"},
                          {Int(16), UInt(8), ", 2)"}}) {
        INFO(c.a << " by " << c.b);
        const std::string schedule = check_same_values([&] { return product(c.a, c.b); }, sizes());
        const size_t call = schedule.find("eutectic::sum_in_dots(");
        REQUIRE(call != std::string::npos);
        CHECK(schedule.substr(call, schedule.find(';', call) - call).find(c.terms) != std::string::npos);
    }
}

TEST_CASE("an output that is such a sum itself") {
    const std::string schedule = check_same_values([] { return product(UInt(8), Int(8), false); }, sizes());
    CHECK(occurrences(schedule, "eutectic::sum_in_dots(") == 1);
}

TEST_CASE("operands that are transposed, and a batch of products") {
    for (const bool transposed : {false, true}) {
        INFO(transposed);
        const auto make = [=] {
            const ImageParam a = image("a", {40, 48, 3}, Int(8)),
                             b = image("b", {transposed ? 40 : 56, transposed ? 56 : 40, 3}, UInt(8));
            const RDom k(0, a.dim(0).extent());
            Func mm("mm"), out("out");
            mm(x, y, z) += cast<int>(a(k, y, z)) * cast<int>(transposed ? b(k, x, z) : b(x, k, z));
            out(x, y, z) = mm(x, y, z) + 3;
            estimate(out, {56, 48, 3});
            return Program{{a, b}, {out}, {}};
        };
        const auto size = [=](int rows, int columns, int terms, int batch) {
            return Sizes{
                {{terms, rows, batch}, {transposed ? terms : columns, transposed ? columns : terms, batch}},
                {{columns, rows, batch}}};
        };
        const std::string schedule = check_same_values(
            make, {size(48, 56, 40, 3), size(5, 7, 3, 2), size(1, 17, 6, 1), size(9, 65, 41, 2)});
        CHECK(occurrences(schedule, "eutectic::sum_in_dots(") == 1);
    }
}

TEST_CASE("a convolution of quantized channels, of which a number stands for 0") {
    const auto make = [] {
        const ImageParam in = image("in", {24, 20, 18}, UInt(8)),
                         filter = image("filter", {24, 3, 3, 32}, Int(8));
        const Func padded = BoundaryConditions::constant_exterior(
            in, cast<uint8_t>(7),
            {{Expr(), Expr()}, {in.dim(1).min(), in.dim(1).extent()}, {in.dim(2).min(), in.dim(2).extent()}});
        const RDom r(0, in.dim(0).extent(), 0, 3, 0, 3);
        Func sum("sum"), out("out");
        sum(x, y, z) = 5;
        sum(x, y, z) +=
            (cast<int>(padded(r.x, y + r.y - 1, z + r.z - 1)) - 7) * cast<int>(filter(r.x, r.y, r.z, x));
        out(x, y, z) = cast<uint8_t>(clamp(sum(x, y, z) / 256, 0, 255));
        estimate(out, {32, 20, 18});
        return Program{{in, filter}, {out}, {}};
    };
    const std::string schedule = check_same_values(make, {{{{24, 20, 18}, {24, 3, 3, 32}}, {{32, 20, 18}}},
                                                          {{{3, 5, 4}, {3, 3, 3, 7}}, {{7, 5, 4}}},
                                                          {{{25, 9, 1}, {25, 3, 3, 33}}, {{33, 9, 1}}}});
    CHECK(occurrences(schedule, "eutectic::sum_in_dots(") == 1);
}

TEST_CASE("which instructions a plan is for: those that the machine has for the types, where they pay") {
    struct Case {
        Type a, b;
        Dots has;
        int64_t terms;  // 1: the sum is as it was
    };
    for (const Case &c : {Case{UInt(8), Int(8), {2, 0, 0}, 2},
                          {UInt(8), Int(8), {1, 1, 0}, 4},
                          {Int(8), Int(8), {1, 1, 0}, 2},
                          {Int(16), UInt(8), {1, 1, 0}, 2},
                          {Int(8), Int(8), {0, 0, 1}, 4},
                          {UInt(8), Int(8), {0, 0, 1}, 1},
                          {Int(16), Int(16), {0, 0, 1}, 1},
                          {UInt(8), Int(8), {}, 1}}) {
        INFO(c.a << " by " << c.b << ", " << c.has.pairs << " " << c.has.mixed_quads << " "
                 << c.has.equal_quads);
        Machine machine = round_machine();
        machine.dots = c.has;
        CHECK(planned_terms(product(c.a, c.b).outputs, machine) == c.terms);
    }
    // A row that is multiplied once is not worth copies.
    const ImageParam a = image("a", {512, 1}, UInt(8)), b = image("b", {512, 512}, Int(8));
    const RDom k(0, a.dim(0).extent());
    Func mm("mm");
    mm(x, y) += cast<int>(a(k, y)) * cast<int>(b(x, k));
    estimate(mm, {512, 1});
    Machine machine = round_machine();
    machine.dots.pairs = 2;
    CHECK(planned_terms({mm}, machine) == 1);
}

TEST_CASE("kernels of each target have its instruction") {
    struct Case {
        std::string target;
        Type a, b;
        const char *instruction;
    };
    for (const Case &c : {Case{avx2, UInt(8), Int(8), "vpmaddwd"},
                          {avx2, Int(16), Int(16), "vpmaddwd"},
                          {vnni, UInt(8), Int(8), "vpdpbusd"},
                          {vnni, Int(8), UInt(8), "vpdpbusd"},
                          {vnni, Int(8), Int(8), "vpdpwssd"},
                          {arm, Int(8), Int(8), "sdot"},
                          {arm, UInt(8), UInt(8), "udot"}}) {
        INFO(c.target << ", " << c.a << " by " << c.b);
        const std::string code = assembly(product(c.a, c.b, true, false), c.target);
        CHECK(occurrences(code, c.instruction) >= 8);
        CHECK(occurrences(code, "vpmulld") == 0);
    }
}

TEST_CASE("what such sums are") {
    const ImageParam a(UInt(8), 2, "a"), b(Int(8), 2, "b"), wide(Int(32), 2, "wide"),
        words(UInt(16), 2, "words");
    const RDom k(0, 10, "k");
    const auto found = [&](const Expr &term) {
        Func f("f");
        f(x, y) = cast(term.type(), 0);
        f(x, y) += term;
        return narrow_product(f.function());
    };
    const Expr of_a = cast<int>(a(k, y)), of_b = cast<int>(b(x, k));
    REQUIRE(found(of_a * of_b));
    CHECK(found(of_a * of_b)->a.type == UInt(8));
    CHECK(found(of_a * of_b)->b.type == Int(8));
    CHECK(found((of_a - 128) * of_b)->a.type == Int(8));
    CHECK(found((of_a - 129) * of_b)->a.type == Int(16));
    CHECK(found((2 * of_a) * of_b)->a.type == Int(16));
    CHECK(!found(of_a * wide(x, k)));                          // does not fit
    CHECK(!found(cast<int>(words(k, y)) * of_b));              // nor do these, without a sign
    CHECK(!found(of_a * cast<int>(a(x, k))));                  // both read the same
    CHECK(!found(of_a * cast<int>(b(x, k + x))));              // not along k alone
    CHECK(!found(of_a * cast<int>(b(x, k) + b(x, k + 1))));    // two loads
    CHECK(!found((of_a + clamp(x, 0, 9)) * of_b));             // something else varies
    CHECK(!found(cast<float>(of_a) * cast<float>(of_b)));      // floats
    CHECK(!found(cast<int64_t>(of_a) * cast<int64_t>(of_b)));  // sums of other types
    RDom some(0, 10, "some");
    some.where(some > 3);
    CHECK(!found(cast<int>(a(some, y)) * cast<int>(b(x, some))));
}

TEST_CASE("a call that has nothing to work on says so") {
    const ImageParam a(UInt(8), 2, "a"), b(Int(16), 2, "b");
    const RDom k(0, 10, "k");
    Func wide("wide"), other("other"), f("f");
    wide(x, y) = x + y;
    other(x, y) = cast<uint8_t>(x);
    f(x, y) += cast<int>(other(k, y)) * cast<int>(b(x, k));
    const Func of_b =
        Pipeline(f).get_func(0).name() == "other" ? Pipeline(f).get_func(1) : Pipeline(f).get_func(0);
    CHECK_THROWS_WITH_AS(sum_in_dots(f, wide, other, 2),
                         doctest::Contains("is not the sum of products of narrow integers"), UserError);
    CHECK_THROWS_WITH_AS(sum_in_dots(f, of_b, other, 4),
                         doctest::Contains("give 2, or 4 where both factors have 8 bits"), UserError);
    CHECK_THROWS_WITH_AS(other_factor(wide, of_b), doctest::Contains("call sum_in_dots() first"), UserError);
}
