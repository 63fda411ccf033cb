// Plans drawn at random: legal ones, the same for the same seed, priced on the true machine.

#include <doctest/doctest.h>

#include <cmath>
#include <set>

#include "fusion/rules/rules.h"
#include "fusion/search/plan_sample.h"
#include "tests/support/graphs.h"
#include "tests/support/machines.h"
#include "tests/support/random_graph.h"
#include "tests/support/rounds.h"

using namespace eutectic;
using namespace eutectic::test;

TEST_CASE("the same seed gives the same plan, other seeds give many others") {
    const Graph g = random_graph(3);
    std::set<std::string> plans;
    std::set<Seconds> prices;
    for (uint64_t seed = 0; seed < rounds(60); seed++) {
        const Planned one = plan_sample(g, round_machine(), cpu_rules(), seed),
                      two = plan_sample(g, round_machine(), cpu_rules(), seed);
        CHECK(to_string(one.plan) == to_string(two.plan));
        CHECK(one.plan.cost().total() == two.plan.cost().total());
        plans.insert(to_string(one.plan));
        prices.insert(one.plan.cost().total());
    }
    CHECK(plans.size() >= rounds(20));
    CHECK(prices.size() >= rounds(20));
}

TEST_CASE("every drawn plan is complete, finite and priced on the true machine") {
    const Machine m = round_machine();
    int together = 0;
    for (uint64_t pipeline = 0; pipeline < rounds(20); pipeline++) {
        const Graph g = random_graph(pipeline);
        const Seconds best = plan_greedy(g, m, cpu_rules()).plan.cost().total();
        for (uint64_t seed = 0; seed < 8; seed++) {
            const Planned p = plan_sample(g, m, cpu_rules(), seed);
            INFO(pipeline << " " << seed << "\n" << to_string(p.plan));
            REQUIRE(p.plan.placements.size() == g.funcs.size());
            Seconds least = 0;
            for (const Group &group : p.plan.groups) {
                least += price(priced_stages(group), m).total();
                CHECK(p.plan.placements[group.root].kind == Placement::Kind::root);
            }
            const Seconds total = p.plan.cost().total();
            CHECK(std::isfinite(total));
            CHECK(total > 0);
            // Allocations come on top of the loops, and are little.
            CHECK(total >= least * (1 - 1e-9));
            CHECK(total <= least + 1e-3);
            for (const FuncId f : g.funcs.ids()) {
                const Placement &placed = p.plan.placements[f];
                if (shares_nest(placed)) {
                    together++;
                    const auto may =
                        placed.kind == Placement::Kind::strips ? may_sum_in_strips : may_write_with;
                    CHECK(may(g, p.plan.placements, f, placed.consumer));
                }
                if (g.funcs[f].output || g.funcs[f].user_scheduled) {
                    CHECK(materialized(p.plan.placements[f]));
                }
            }
            CHECK(p.unfused.cost().total() > 0);
            CHECK(best > 0);
        }
    }
    CHECK(together > 0);
}

TEST_CASE("near and far seeds: most plans are not far from the best") {
    const Graph g = random_graph(5);
    const Machine m = round_machine();
    const Seconds best = plan_greedy(g, m, cpu_rules()).plan.cost().total();
    int near = 0, near_seeds = 0;
    for (uint64_t seed = 0; seed < rounds(80); seed++) {
        if (seed % 4 != 3) {
            near_seeds++;
            near += plan_sample(g, m, cpu_rules(), seed).plan.cost().total() < 4 * best ? 1 : 0;
        }
    }
    CHECK(near * 2 > near_seeds);
}
