// What measured times say of prices.

#include <doctest/doctest.h>

#include <numeric>

#include "fusion/rules/rule.h"
#include "tests/support/graphs.h"
#include "tests/support/machines.h"
#include "tune/beliefs.h"

using namespace eutectic;
using namespace eutectic::test;

namespace {

std::vector<PricedNest> nests(const FusionPlan &plan) {
    std::vector<PricedNest> all;
    for (const Group &g : plan.groups) {
        all.push_back({priced_stages(g), 0});
    }
    return all;
}

}  // namespace

TEST_CASE("the first machine is the model's, and all are as likely until something is measured") {
    const Machine m = round_machine();
    const Beliefs beliefs(m, 8, 1);
    const Graph g = dense(128, 784, 256);
    const FusionPlan plan = plan_greedy(g, m, cpu_rules()).plan;
    const std::vector<Seconds> seconds = beliefs.on_each(nests(plan));
    REQUIRE(seconds.size() == 8);
    Seconds own = 0;
    for (const Group &group : plan.groups) {
        own += price(group.tree, m).total();
    }
    CHECK(seconds.front() == doctest::Approx(own));
    CHECK(seconds[1] != seconds[0]);
    CHECK(seconds == Beliefs(m, 8, 1).on_each(nests(plan)));
    for (const double w : beliefs.weights()) {
        CHECK(w == doctest::Approx(1.0 / 8));
    }
}

TEST_CASE("machines that told a measured ratio become likely, and the expected gain is theirs") {
    Beliefs beliefs(round_machine(), 4, 1);
    const std::vector<Seconds> known = {1, 1, 1, 1}, other = {2, 1, 1, 0.5}, next = {0.5, 1, 2, 4};
    CHECK(beliefs.expected_gain(next, known) == doctest::Approx(0.125));  // of one machine of four, half
    CHECK(beliefs.expected_ratio(next, known) == doctest::Approx(7.5 / 4));
    beliefs.learn(other, known, 2);  // as the first machine says
    const std::vector<double> &w = beliefs.weights();
    CHECK(std::accumulate(w.begin(), w.end(), 0.0) == doctest::Approx(1));
    CHECK(w[0] > 0.99);
    CHECK(beliefs.expected_gain(next, known) == doctest::Approx(0.5).epsilon(0.01));
    for (int i = 0; i < 1000; i++) {
        beliefs.learn(other, known, 1e-3);  // nobody's: they stay numbers
    }
    CHECK(std::accumulate(w.begin(), w.end(), 0.0) == doctest::Approx(1));
}
