// Plans that hold on every processor of a family.

#include <doctest/doctest.h>

#include <algorithm>

#include "fusion/search/compile_limit.h"
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

struct FamilyPlan {
    Planned planned;
    std::vector<MemberSeconds> members;

    double worst_loss() const {
        double worst = 1;
        for (const MemberSeconds &m : members) {
            worst = std::max(worst, m.loss());
        }
        return worst;
    }
    std::string text() const {
        return to_string(planned.plan);
    }
};

FamilyPlan plan_for(const Graph &graph, const std::vector<Member> &members, Seconds most = 60) {
    FamilyPlan result{plan_greedy(graph, members.front().machine, cpu_rules()), {}};
    result.members = hold_on_family(graph, members, {}, most, result.planned);
    return result;
}

}  // namespace

TEST_CASE("of a family that is one processor several times over, nothing is lost and nothing changed") {
    const Machine m = machine_from_target(avx2, 2);
    for (const Graph &g : {dense(256, 256, 256), random_graph(3)}) {
        const FamilyPlan plan = plan_for(g, {{"a", m}, {"b", m}, {"c", m}});
        REQUIRE(plan.members.size() == 3);
        CHECK(plan.members[1].name == "b");
        CHECK(plan.worst_loss() == doctest::Approx(1));
        CHECK(plan.text() == plan_for(g, {{"a", m}}).text());
        CHECK(plan.members[0].seconds == doctest::Approx(plan.planned.plan.cost().total()));
    }
    CHECK(plan_for(dense(64, 64, 64), {{"a", m}}).members.empty());
}

TEST_CASE(
    "the worst loss is no worse than with the first processor's loops, and costs are those on the first") {
    for (const Graph &g :
         {dense(1024, 1024, 1024), dense(128, 784, 256), random_graph(7), random_graph(11)}) {
        const std::vector<Member> members = family();
        const FamilyPlan plan = plan_for(g, members);
        REQUIRE(plan.members.size() == members.size());
        CHECK(plan.members[0].seconds == doctest::Approx(plan.planned.plan.cost().total()));
        const Planned first = plan_greedy(g, members.front().machine, cpu_rules());
        double of_first = 1;
        for (size_t m = 0; m < members.size(); m++) {
            INFO(members[m].name);
            CHECK(plan.members[m].loss() >= 1);
            Seconds seconds = first.plan.cost().total();
            for (const Group &group : first.plan.groups) {
                seconds += price(group.tree, members[m].machine).total() -
                           price(group.tree, members.front().machine).total();
            }
            of_first = std::max(of_first, seconds / plan.members[m].best);
        }
        CHECK(plan.worst_loss() <= of_first * (1 + 1e-12));
        CHECK(plan.planned.plan.placements == first.plan.placements);
    }
}

TEST_CASE("products lose at most 15 % on any processor of their family") {
    for (const int64_t n : {256, 512, 1000, 1024, 1536, 2048, 4096}) {
        INFO(n);
        CHECK(plan_for(dense(n, n, n), family()).worst_loss() <= 1.15);
    }
    CHECK(plan_for(dense(1, 4096, 4096), family()).worst_loss() <= 1.15);
    CHECK(plan_for(dense(4096, 4096, 8), family()).worst_loss() <= 1.15);
    CHECK(plan_for(dense(128, 784, 256), family()).worst_loss() <= 1.15);
}

TEST_CASE("a processor whose caches hold less changes the loops where the first one's would lose too much") {
    std::vector<Member> members = family();
    members.resize(2);
    // One without a second level to speak of.
    members[1].machine.l2 = {64 * 1024, members[1].machine.l3.bytes_per_second * 1.01};
    members[1].machine.l3.bytes = 256 * 1024;
    members[1].machine.memory_bytes_per_second = 3e9;
    const Graph g = dense(2048, 2048, 2048);
    const FamilyPlan both = plan_for(g, members), first = plan_for(g, {members[0]});
    CHECK(both.text() != first.text());
    CHECK(both.worst_loss() < 1.5);
}

TEST_CASE("loops that would take longer to compile than the limit are left out") {
    std::vector<Member> members = family();
    const Graph g = dense(1024, 1024, 1024);
    const Seconds first = compile_seconds(plan_for(g, {members[0]}).planned.plan, members[0].machine);
    const FamilyPlan plan = plan_for(g, members, first);
    CHECK(compile_seconds(plan.planned.plan, members[0].machine) <= first * (1 + 1e-12));
}

TEST_CASE("of several plans the one is taken whose worst loss against the best of all is least") {
    const std::vector<MemberSeconds> fast_on_one{{"a", 1.0, 1.0}, {"b", 3.0, 1.5}},
        good_on_both{{"a", 1.2, 1.1}, {"b", 1.8, 1.7}}, dominated{{"a", 1.3, 1.1}, {"b", 1.8, 1.7}};
    CHECK(most_robust({fast_on_one, good_on_both}) == 1);  // 2 against 1.2
    CHECK(most_robust({good_on_both, fast_on_one}) == 0);
    CHECK(most_robust({dominated, good_on_both, fast_on_one}) == 1);
    CHECK(most_robust({good_on_both, good_on_both}) == 0);
    CHECK(most_robust({fast_on_one}) == 0);
}
