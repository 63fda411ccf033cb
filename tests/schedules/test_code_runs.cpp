// How often loops of a lowered module run at the estimates, by going through it once.

#include <doctest/doctest.h>

#include <map>

#include "schedules/cpu/code_runs.h"

using namespace eutectic;
using namespace Halide;

namespace {

const Target target("x86-64-linux-avx2-fma-no_runtime");

CodeRuns runs_of(Func f) {
    Pipeline p(f);
    const Module module = p.compile_to_module(p.infer_arguments(), "counted", target);
    return code_runs(module, "counted", estimated_arguments(p));
}

/** Turns by the name of the loop, all of a name together; -1 where one is not known. */
std::map<std::string, double> turns(const CodeRuns &runs) {
    std::map<std::string, double> sums;
    for (const LoopRuns &l : runs.loops) {
        double &sum = sums[l.name];
        sum = sum < 0 || l.turns < 0 ? -1 : sum + l.turns;
    }
    return sums;
}

Var x("x"), y("y"), xo("xo"), xi("xi"), yo("yo"), yi("yi");

}  // namespace

TEST_CASE("serial loops, inside each other") {
    ImageParam in(Float(32), 2, "in");
    Func f("f1");
    f(x, y) = in(x, y) * 2;
    f.set_estimates({{0, 64}, {0, 10}});
    in.set_estimates({{0, 64}, {0, 10}});
    f.split(x, xo, xi, 8, TailStrategy::ShiftInwards).vectorize(xi);
    const CodeRuns runs = runs_of(f);
    REQUIRE(runs.loops.size() == 2);
    CHECK(runs.loops[0].turns == 10);
    CHECK(runs.loops[1].turns == 80);
    CHECK(runs.loops[1].function == "counted");
    CHECK(runs.loops[1].nest == f.name());
}

TEST_CASE("the body of a parallel loop is a function, and its loops are counted for all tasks") {
    Func g("g2"), f("f2");
    RDom r(0, 5, "r");
    g(x, y) = 0.0f;
    g(x, y) += cast<float>(x + y + r);
    f(x, y) = g(x, y);
    f.set_estimates({{0, 32}, {0, 12}});
    f.split(y, yo, yi, 4).parallel(yo).vectorize(x, 8);
    g.compute_at(f, yi).vectorize(x, 8).update().vectorize(x, 8);
    const CodeRuns runs = runs_of(f);
    const auto body = std::find_if(runs.functions.begin(), runs.functions.end(), [](const FunctionRuns &of) {
        return of.name != "counted" && of.calls > 0;
    });
    REQUIRE(body != runs.functions.end());
    CHECK(body->calls == 3);
    CHECK(body->nest == f.name());
    std::map<std::string, double> t = turns(runs);
    CHECK(t[f.name() + ".s0.y.yi"] == 12);
    CHECK(t[g.name() + ".s1.r$x"] == 12 * 4 * 5);
    for (const LoopRuns &l : runs.loops) {
        CHECK(l.nest == f.name());
    }
}

TEST_CASE("of versions for several sizes the one runs that the estimates ask for") {
    for (const int columns : {64, 5}) {
        ImageParam in(Float(32), 1, "in");
        Func f("f3_" + std::to_string(columns));
        f(x) = in(x) + 1;
        f.set_estimates({{0, columns}});
        in.set_estimates({{0, columns}});
        f.specialize(f.output_buffer().dim(0).extent() >= 16).split(x, xo, xi, 16).vectorize(xi);
        const CodeRuns runs = runs_of(f);
        REQUIRE(runs.loops.size() == 2);
        CHECK(runs.loops[0].turns == (columns == 64 ? 4 : 0));
        CHECK(runs.loops[1].turns == (columns == 64 ? 0 : 5));
    }
}

TEST_CASE("a loop whose extent follows from an outer one is counted by its middle turn") {
    Func f("f4");
    RDom r(0, 100, 0, 100, "r");
    r.where(r.x <= r.y);
    f(x) = 0;
    f(x) += r.x * r.y;
    f.set_estimates({{0, 3}});
    std::map<std::string, double> t = turns(runs_of(f));
    CHECK(t[f.name() + ".s1.r$y"] == 300);
    CHECK(t[f.name() + ".s1.r$x"] == doctest::Approx(300 * 50).epsilon(0.03));
}

TEST_CASE("what hangs on a value that is not known is not known") {
    Param<int> terms("terms");  // without an estimate
    Func f("f5");
    RDom r(0, terms, "r");
    f(x) = 0;
    f(x) += r * x;
    f.set_estimates({{0, 3}});
    std::map<std::string, double> t = turns(runs_of(f));
    CHECK(t[f.name() + ".s1.r$x"] == -1);
}

TEST_CASE("scalars have their estimates, and buffers are dense") {
    Param<int> rows("rows");
    rows.set_estimate(7);
    ImageParam in(UInt(8), 3, "in");
    in.set_estimates({{2, 10}, {0, 4}, {0, 3}});
    Func f("f6");
    f(x) = cast<int>(in(x, 0, 0)) + rows;
    f.set_estimates({{2, 10}});
    const KnownValues known = estimated_arguments(Pipeline(f));
    const auto at = [&](const std::string &name) { return known.at(name).number.value(); };
    CHECK(at("rows") == 7);
    CHECK(at("in.min.0") == 2);
    CHECK(at("in.stride.1") == 10);
    CHECK(at("in.stride.2") == 40);
    CHECK(at(f.name() + ".extent.0") == 10);
}
