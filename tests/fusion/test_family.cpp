// Plans that hold on every processor of a family.

#include <doctest/doctest.h>

#include <algorithm>

#include "fusion/search/family.h"
#include "machine/processors.h"
#include "tests/support/graphs.h"
#include "tests/support/random_graph.h"

using namespace eutectic;
using namespace eutectic::test;

namespace {

const TargetDescription avx2{"x86", 256, true};

std::vector<Member> family() {
    std::vector<Member> members;
    for (const Processor *p : family_of(avx2)) {
        members.push_back({p->name, machine_of(*p, avx2, 2)});
    }
    return members;
}

FamilyPlan plan_for(const Graph &graph, const std::vector<Member> &members,
                    std::optional<Seconds> limit = std::nullopt) {
    const auto search = [&](const Machine &m, const Planned *before) {
        return before ? plan_greedy_from(*before, graph, m, cpu_rules()) : plan_greedy(graph, m, cpu_rules());
    };
    const auto refine = [&](const Machine &m, const Planned *before) {
        return plan_greedy_from(*before, graph, m, cpu_rules(), {}, most_members_of_another);
    };
    return plan_for_family(members, limit, search, refine);
}

double worst_loss(const FamilyPlan &plan) {
    double worst = 1;
    for (const MemberSeconds &m : plan.members) {
        worst = std::max(worst, m.loss());
    }
    return worst;
}

}  // namespace

TEST_CASE("of a family that is one processor several times over, the first one's plan loses nothing") {
    const Machine m = machine_from_target(avx2, 2);
    const Graph g = dense(256, 256, 256);
    const FamilyPlan plan = plan_for(g, {{"a", m}, {"b", m}, {"c", m}});
    CHECK(plan.planned_for == 0);
    REQUIRE(plan.members.size() == 3);
    CHECK(plan.members[1].name == "b");
    CHECK(worst_loss(plan) == 1);
    CHECK(to_string(plan.planned.plan) == to_string(plan_for(g, {{"a", m}}).planned.plan));
    CHECK(plan.members[0].seconds == doctest::Approx(plan.planned.plan.cost().total()));
}

TEST_CASE("no plan for a member loses less on the worst of them, but for what prices do not tell apart") {
    for (const Graph &g :
         {dense(1024, 1024, 1024), dense(128, 784, 256), random_graph(7), random_graph(11)}) {
        const std::vector<Member> members = family();
        const FamilyPlan plan = plan_for(g, members);
        REQUIRE(plan.members.size() == members.size());
        CHECK(plan.members[plan.planned_for].seconds == doctest::Approx(plan.planned.plan.cost().total()));
        for (const MemberSeconds &m : plan.members) {
            INFO(m.name);
            CHECK(m.loss() >= 1);
            CHECK(m.loss() < 1.5);
        }
        // Each of them first in turn: then its own plan would be taken if that lost less.
        for (size_t first = 1; first < members.size(); first++) {
            std::vector<Member> turned = members;
            std::swap(turned[0], turned[first]);
            const FamilyPlan other = plan_for(g, turned);
            CHECK(worst_loss(other) < 1.5);
        }
    }
}

TEST_CASE("a processor whose caches hold less changes the plan where the first one's would lose too much") {
    std::vector<Member> members = family();
    members.resize(2);
    // One without a second level to speak of.
    members[1].machine.l2 = {64 * 1024, members[1].machine.l3.bytes_per_second * 1.01};
    members[1].machine.l3.bytes = 256 * 1024;
    members[1].machine.memory_bytes_per_second = 3e9;
    const Graph g = dense(2048, 2048, 2048);
    const FamilyPlan both = plan_for(g, members), first = plan_for(g, {members[0]});
    const FamilyPlan second = plan_for(g, {members[1]});
    CHECK(to_string(first.planned.plan) != to_string(second.planned.plan));
    CHECK(to_string(both.planned.plan) != to_string(first.planned.plan));
    CHECK(both.planned_for == 1);
}

TEST_CASE("what would take longer to compile than the limit is left out") {
    const Graph g = dense(1024, 1024, 1024);
    const std::vector<Member> members = family();
    const Seconds limit = 0.08;
    const FamilyPlan plan = plan_for(g, members, limit);
    const FamilyPlan first = plan_for(g, {members[0]}, limit);
    CHECK(compile_seconds(plan.planned.plan, members[0].machine) <=
          std::max(limit, compile_seconds(first.planned.plan, members[0].machine)));
}
