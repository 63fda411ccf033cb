// Constants are found again from times that the model itself made, and outliers and bounds do what they
// should.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "cost/fit.h"
#include "tests/support/graphs.h"
#include "tests/support/machines.h"

using namespace eutectic;
using namespace eutectic::test;

namespace {

using Kind = Loop::Kind;

std::vector<MachineField> fields(const std::vector<std::string> &keys) {
    std::vector<MachineField> result;
    std::copy_if(
        machine_fields().begin(), machine_fields().end(), std::back_inserter(result),
        [&](const MachineField &f) { return std::find(keys.begin(), keys.end(), f.key) != keys.end(); });
    return result;
}

/** Row by row through n x n floats, `flops` operations on each. */
PricedNest pass(int64_t n, double flops, int64_t width) {
    Sketch s;
    const FuncId x = s.input("x", {n, n});
    s.output(s.pointwise("y", {n, n}, {{x, {at(0), at(1)}}}, work(flops)));
    NestedStage stage;
    stage.work = stage_work(s.graph(), 0, {false, false});
    stage.nest.loops = {{1, 1, Kind::serial}, {0, width, Kind::serial}, {0, 1, Kind::vector}};
    return {{stage}, 1e-7};
}

/** Small and large, light and heavy passes, with the times that `truth` gives them. */
std::vector<Measurement> measurements(const Machine &truth) {
    std::vector<Measurement> all;
    for (const int64_t n : {32, 100, 500, 2000}) {
        for (const double flops : {1.0, 10.0, 100.0}) {
            for (const int64_t width : {4, 8}) {
                Measurement m{n < 200 ? "small" : "large", "", {pass(n, flops, width)}, 0};
                m.seconds = predict(m, truth);
                all.push_back(m);
            }
        }
    }
    return all;
}

}  // namespace

TEST_CASE("constants that made the times are found again, from far away") {
    Machine truth = round_machine();
    truth.loop_cycles = 0.4;
    truth.overlap_loss = 0.3;
    Machine start = round_machine();
    start.loop_cycles = 3;
    start.overlap_loss = 0.05;
    const Fitted fitted = fit_constants(measurements(truth), start, fields({"loop_cycles", "overlap_loss"}));
    CHECK(fitted.machine.loop_cycles == doctest::Approx(0.4).epsilon(0.01));
    CHECK(fitted.machine.overlap_loss == doctest::Approx(0.3).epsilon(0.01));
    CHECK(fitted.after < 1e-3);
    CHECK(fitted.before > 0.1);
    // Nothing else changed.
    Machine same = fitted.machine;
    same.loop_cycles = start.loop_cycles;
    same.overlap_loss = start.overlap_loss;
    CHECK(to_string(same) == to_string(start));
}

TEST_CASE("a constant stays in its range, and the fit is never worse than the start") {
    std::vector<Measurement> fast = measurements(round_machine());
    for (Measurement &m : fast) {
        m.seconds /= 1000;
    }
    const Fitted fitted = fit_constants(fast, round_machine(), fields({"loop_cycles", "usable_cache"}));
    for (const MachineField &f : fields({"loop_cycles", "usable_cache"})) {
        CHECK(f.get(fitted.machine) >= f.low * (1 - 1e-9));
        CHECK(f.get(fitted.machine) <= f.high * (1 + 1e-9));
    }
    CHECK(fitted.after <= fitted.before);
}

TEST_CASE(
    "neither a generator that is priced wrongly as a whole nor a few wild times move the constants much") {
    Machine truth = round_machine();
    truth.loop_cycles = 0.4;
    std::vector<Measurement> all = measurements(truth);
    for (Measurement &m : all) {
        m.seconds *= m.generator == "large" ? 5 : 1;
    }
    all.back().seconds *= 20;
    const Fitted fitted = fit_constants(all, round_machine(), fields({"loop_cycles"}));
    CHECK(fitted.machine.loop_cycles > 0.2);
    CHECK(fitted.machine.loop_cycles < 0.8);
}

TEST_CASE("fewer measurements than constants are refused") {
    CHECK_THROWS_AS(fit_constants({}, round_machine(), fields({"loop_cycles"})), std::invalid_argument);
}
