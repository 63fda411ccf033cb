// The beam: the greedy planner's rules and legality, never a worse plan, the same one every time.

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>

#include "fusion/search/plan_beam.h"
#include "tests/support/graphs.h"
#include "tests/support/machines.h"
#include "tests/support/random_graph.h"
#include "tests/support/rounds.h"

using namespace eutectic;
using namespace eutectic::test;

namespace {

constexpr uint64_t pipelines = rounds(150);

/** Is every taken step one that its rule offers, from where the last one ended? */
void check_path(const Graph &g, const Planned &planned) {
    Seconds now = planned.unfused.cost().total();
    for (const Step &s : planned.taken) {
        CHECK(s.taken);
        CHECK(s.verdict);
        CHECK(s.before == doctest::Approx(now));
        now = s.after;
    }
    CHECK(now == doctest::Approx(planned.plan.cost().total()));
    // Nothing more would pay.
    const std::vector<Rule> rules = cpu_rules();
    for (const Rule &rule : rules) {
        for (const Site &site : rule.match(g, planned.plan.placements)) {
            if (!rule.legal(g, planned.plan.placements, site)) {
                continue;
            }
            for (const Placements &p : rule.candidates(g, planned.plan.placements, site)) {
                const FusionPlan next = complete(g, round_machine(), p);
                INFO(rule.name << "\n" << to_string(next) << "\nafter\n" << to_string(planned.plan));
                CHECK(next.cost().total() >= planned.plan.cost().total() * (1 - 1e-12));
            }
        }
    }
}

}  // namespace

TEST_CASE("never worse than greedy, sometimes better, and a path of legal steps") {
    int better = 0;
    for (uint64_t seed = 0; seed < pipelines; seed++) {
        const Graph g = random_graph(seed);
        INFO("seed " << seed);
        const Planned greedy = plan_greedy(g, round_machine(), cpu_rules()),
                      best = plan_beam(g, round_machine(), cpu_rules());
        CHECK(best.plan.cost().total() <= greedy.plan.cost().total());
        CHECK(to_string(best.unfused) == to_string(greedy.unfused));
        better += best.plan.cost().total() < greedy.plan.cost().total() ? 1 : 0;
        check_path(g, best);
    }
    MESSAGE(better, " of ", pipelines, " plans are better");
}

namespace {

/** The Func that `rule` below may inline, if `condition` is inlined already. */
template<int func, int condition>
std::vector<Site> match_one(const Graph &, const Placements &placements) {
    const bool now = placements[condition].kind == Placement::Kind::inlined &&
                     placements[func].kind == Placement::Kind::root;
    return now ? std::vector<Site>{{func, {}}} : std::vector<Site>{};
}

Verdict always(const Graph &, const Placements &, const Site &) {
    return Verdict::allow();
}

std::vector<Placements> inline_it(const Graph &, const Placements &placements, const Site &site) {
    Placements next = placements;
    next[site.producer] = {Placement::Kind::inlined, -1};
    return {next};
}

}  // namespace

TEST_CASE("a step that costs something is taken for what it makes possible; one that makes nothing possible "
          "is not") {
    Sketch s;
    const FuncId x = s.input("x", {1024, 1024});
    const FuncId costly = s.pointwise("costly", {64, 64}, {{x, {at(0), at(1)}}}, work(0, 0, 40));
    const FuncId large = s.pointwise("large", {1024, 1024}, {{x, {at(0), at(1)}}});
    for (const char *name : {"a", "b", "c"}) {
        s.output(s.pointwise(name, {64, 64}, {{costly, {at(0), at(1)}}}));
    }
    s.output(s.pointwise("y", {1024, 1024}, {{large, {at(0), at(1)}}}));
    const Graph g = s.graph();
    REQUIRE(x == 0);
    REQUIRE(costly == 1);
    REQUIRE(large == 2);
    const Rule loss{"loss", match_one<1, 0>, always, inline_it},
        gain{"gain", match_one<2, 1>, always, inline_it};
    CHECK(plan_greedy(g, round_machine(), {loss, gain}).taken.empty());
    const Planned planned = plan_beam(g, round_machine(), {loss, gain});
    REQUIRE(planned.taken.size() == 2);
    CHECK(planned.taken[0].after > planned.taken[0].before);
    CHECK(planned.taken[1].after < planned.taken[0].before);
    CHECK(planned.plan.placements[1].kind == Placement::Kind::inlined);
    CHECK(planned.plan.placements[2].kind == Placement::Kind::inlined);
    CHECK(plan_beam(g, round_machine(), {loss}).taken.empty());
}

TEST_CASE("the same plan every time, whatever things are called") {
    for (uint64_t seed = 0; seed < pipelines; seed += 4) {
        INFO("seed " << seed);
        const Graph g = random_graph(seed);
        const std::string plan = to_string(plan_beam(g, round_machine(), cpu_rules()).plan);
        CHECK(to_string(plan_beam(g, round_machine(), cpu_rules()).plan) == plan);
        CHECK(to_string(plan_beam(renamed(g), round_machine(), cpu_rules()).plan) == plan);
    }
}

TEST_CASE("no rules, no fusion") {
    const Graph g = dense(128, 784, 256);
    const Planned planned = plan_beam(g, round_machine(), {});
    CHECK(planned.taken.empty());
    CHECK(to_string(planned.plan) == to_string(planned.unfused));
}
