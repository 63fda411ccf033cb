// Pipelines of hundreds of Funcs: what is looked at in part gives what looking at all of it gives, and steps
// that are taken in rounds end where no step saves anything.

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <utility>

#include "fusion/rules/rule.h"
#include "fusion/rules/rules.h"
#include "fusion/search/completer.h"
#include "fusion/search/moves.h"
#include "tests/support/graphs.h"
#include "tests/support/machines.h"
#include "tests/support/random_graph.h"
#include "tests/support/rounds.h"

using namespace eutectic;
using namespace eutectic::test;

namespace {

/** Layers of a stencil, a transcendental step and a sum over the rows of it, as of a network and its
 * gradients; each sum is an output. */
Graph chain(int layers) {
    Sketch s;
    FuncId h = s.input("x", {512, 64});
    for (int k = 0; k < layers; k++) {
        const std::string number = std::to_string(k);
        const FuncId padded = s.pointwise("padded" + number, {512, 64}, {{h, {at(0), at(1)}}}, work(2));
        h = s.pointwise("h" + number, {512, 64}, {{padded, {shifted(0, 2), at(1)}}}, work(6, 1, 1));
        s.output(s.reduction("sum" + number, {512}, {64}, {{h, {at(0), at(1)}}}, work(1)));
    }
    s.output(s.pointwise("y", {512, 64}, {{h, {at(0), at(1)}}}, work(1)));
    return s.graph();
}

}  // namespace

TEST_CASE("a total that looks only at what differs is that of the whole, and so is what settles") {
    for (uint64_t seed = 1; seed <= rounds(20); seed++) {
        const Graph g = random_graph(seed);
        const Machine m = round_machine();
        Completer completer(g, m), whole(g, m);
        std::vector<Step> weighed;
        Placements now = unfused(g);
        for (int step = 0; step < 6; step++) {
            const std::vector<Move> all = moves(g, cpu_rules(), completer, now, weighed);
            size_t count = 0;
            for (const Move &move : all) {
                INFO("pipeline " << seed << ", step " << step << ", " << move.step.rule << " of "
                                 << g.funcs[move.step.site.producer].name);
                whole.compare_with({});
                CHECK(whole.total(move.placements) == move.step.after);
                Placements settled = move.placements;
                settle(g, settled);
                CHECK(settled == move.placements);
                if (count++ % 5 == 0) {  // whatever was searched before
                    CHECK(Completer(g, m).total(move.placements) == move.step.after);
                }
            }
            if (all.empty()) {
                break;
            }
            now = all[(seed * 7 + static_cast<uint64_t>(step) * 5) % all.size()].placements;
        }
    }
}

// The two that follow would take minutes under a sanitizer.
TEST_CASE("steps in rounds end where no step saves anything, and every layer of a chain is treated alike" *
          doctest::skip(sanitized)) {
    const Graph g = chain(64);
    REQUIRE(g.funcs.size() > 128);
    const Machine m = round_machine();
    const Planned planned = plan_greedy(g, m, cpu_rules());
    Completer completer(g, m);
    std::vector<Step> weighed;
    for (const Move &move : moves(g, cpu_rules(), completer, planned.plan.placements, weighed)) {
        CHECK(move.step.after >= move.step.before * (1 - 1e-12));
    }
    Seconds before = planned.unfused.cost().total();
    for (const Step &step : planned.taken) {
        CHECK(step.after < step.before);
        CHECK(step.before == doctest::Approx(before).epsilon(1e-12));
        before = step.after;
    }
    CHECK(before == doctest::Approx(planned.plan.cost().total()).epsilon(1e-12));
}

TEST_CASE("a long chain costs by the layer what a short one does that is planned step by step" *
          doctest::skip(sanitized)) {
    const Machine m = round_machine();
    const Graph small = chain(32), large = chain(64);
    REQUIRE(small.funcs.size() <= 128);
    const Seconds of_small = plan_greedy(small, m, cpu_rules()).plan.cost().total(),
                  of_large = plan_greedy(large, m, cpu_rules()).plan.cost().total();
    CHECK(of_large <= 2.05 * of_small);
}
