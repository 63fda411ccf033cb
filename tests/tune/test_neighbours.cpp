// Plans that are one step away.

#include <doctest/doctest.h>

#include <cmath>
#include <set>

#include "base/user_error.h"
#include "fusion/search/pinned_loops.h"
#include "tests/support/graphs.h"
#include "tests/support/machines.h"
#include "tests/support/random_graph.h"
#include "tests/support/rounds.h"
#include "tune/neighbours.h"

using namespace eutectic;
using namespace eutectic::test;

namespace {

/** Read back from text, as a plan's process does. */
Planned planned_with(const Graph &g, const Pins &pins) {
    const Pins read = parse_pins(to_text(g, pins), "p.json", g);
    Planned planned = plan_greedy(g, round_machine(), cpu_rules(), read);
    take_pinned_loops(g, round_machine(), read, planned);
    return planned;
}

}  // namespace

TEST_CASE("steps of any random pipeline are pins that lead to other plans, or are refused in a sentence") {
    int led = 0, refused = 0, loops = 0;
    for (uint64_t seed = 0; seed < static_cast<uint64_t>(rounds(24)); seed++) {
        INFO(seed);
        const Graph g = random_graph(seed);
        const Planned first = planned_with(g, {});
        const std::string before = to_string(first.plan);
        std::vector<Neighbour> all = other_places(g, round_machine(), cpu_rules(), first, {});
        const std::vector<Neighbour> more = other_loops(g, round_machine(), first, {}, 1 + seed);
        all.insert(all.end(), more.begin(), more.end());
        std::set<std::string> changes;
        for (const Neighbour &n : all) {
            INFO(n.change);
            CHECK(changes.insert(n.change).second);
            try {
                const Planned next = planned_with(g, n.pins);
                CHECK(to_string(next.plan) != before);
                CHECK(std::isfinite(next.plan.cost().total()));
                CHECK((n.pins.loops.empty() || next.plan.placements == first.plan.placements));
                loops += n.pins.loops.empty() ? 0 : 1;
                led++;
            } catch (const UserError &e) {
                CHECK(std::string(e.what()).size() > 20);
                refused++;
            }
        }
    }
    if (!sanitized) {  // one random pipeline says little of all
        CHECK(led > 4 * refused);
        CHECK(loops > 0);
    }
}

TEST_CASE("steps from a step keep what it has changed") {
    const Graph g = dense(128, 784, 256);
    const Planned first = planned_with(g, {});
    const std::vector<Neighbour> steps = other_places(g, round_machine(), cpu_rules(), first, {});
    REQUIRE(!steps.empty());
    const Planned next = planned_with(g, steps.front().pins);
    for (const Neighbour &n : other_loops(g, round_machine(), next, steps.front().pins, 3)) {
        REQUIRE(n.pins.loops.size() == 1);
        CHECK(n.pins.loops.front().second == 3);
        Pins places = n.pins;
        places.loops.clear();
        CHECK(to_text(g, places) == to_text(g, steps.front().pins));
        CHECK(planned_with(g, n.pins).plan.placements == next.plan.placements);
    }
}

TEST_CASE("loops of what has no nest of its own, of inputs, and no seeds are refused") {
    const Graph g = dense(128, 784, 256);
    const auto refusal = [&](const std::string &text) {
        try {
            const Pins pins = parse_pins(text, "p.json", g);
            Planned planned = plan_greedy(g, round_machine(), cpu_rules(), pins);
            take_pinned_loops(g, round_machine(), pins, planned);
        } catch (const UserError &e) {
            return std::string(e.what());
        }
        return std::string();
    };
    std::string inlined;
    for (const FuncId f : g.funcs.ids()) {
        inlined = may_be_pinned(g, f) ? g.funcs[f].name : inlined;
    }
    REQUIRE(!inlined.empty());
    CHECK(refusal("{\"" + inlined + "\": \"inline\", \"loops\": {\"" + inlined + "\": 5}}") ==
          "The pins in p.json ask for other loops of " + inlined +
              ", which has no nest of its own in this plan: pin it \"root\", too, or leave its loops out.");
    CHECK(refusal("{\"loops\": {\"" + inlined + "\": \"fast\"}}") ==
          "The pins in p.json say \"fast\" of the loops of " + inlined +
              ": write a whole number, the seed that eutectic tune has found.");
    CHECK(refusal("{\"loops\": {\"" + inlined + "\": -5}}").find("say -5 of the loops") != std::string::npos);
    CHECK(refusal("{\"loops\": {\"nobody\": 5}}").find("no Func of this pipeline") != std::string::npos);
}

TEST_CASE("kernels of a GPU have no other loops") {
    const Graph g = dense(128, 784, 256);
    Planned planned = plan_greedy(g, round_gpu_machine(), gpu_rules());
    CHECK(other_loops(g, round_gpu_machine(), planned, {}, 1).empty());
    Pins pins;
    pins.funcs.resize(g.funcs.size());
    pins.source = "p.json";
    pins.loops = {{planned.plan.groups.front().root, 1}};
    CHECK_THROWS_AS(take_pinned_loops(g, round_gpu_machine(), pins, planned), UserError);
}
