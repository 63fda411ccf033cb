// A maximum and the sum that it scales in one pass: what the rule allows and refuses, where it leads, and
// when it pays.

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>

#include "fusion/plan/grade.h"
#include "fusion/plan/pins.h"
#include "fusion/rules/rule.h"
#include "fusion/rules/rules.h"
#include "schedules/rewrites/made_rewrite.h"
#include "tests/support/machines.h"
#include "tests/support/patterns.h"

using namespace eutectic;
using namespace eutectic::test;

namespace {

using Kind = Placement::Kind;

// Of long_softmax().
constexpr FuncId largest = 1, e = 2, sum = 3, y = 4;

Graph rows_of(int64_t columns, int64_t rows) {
    Graph g = long_softmax(columns, rows);
    g.gpu = true;
    return g;
}

FuncInfo &info(Graph &g, FuncId f) {
    return g.funcs[f];
}

Placement &at_place(Placements &placements, FuncId f) {
    return placements[f];
}

/** All at Root but the exponentials, as the planner has it before this rule's turn. */
Placements inlined_exponentials(const Graph &g) {
    Placements placements = unfused(g);
    at_place(placements, e) = {Kind::inlined, -1};
    return placements;
}

std::string refusal(const std::function<void(Graph &, Placements &)> &change) {
    Graph g = rows_of(1 << 16, 1024);
    Placements placements = inlined_exponentials(g);
    change(g, placements);
    const std::vector<Site> sites = rewrite_rule_named("sum_online").match(g, placements);
    REQUIRE(sites.size() == 1);
    return rewrite_rule_named("sum_online").legal(g, placements, sites[0]).reason();
}

Planned planned(const Graph &g, const Pins &pins = {}) {
    return plan_greedy(g, round_gpu_machine(), gpu_rules(gpu_rewrite_rules()), pins);
}

bool is_online(const FusionPlan &plan) {
    return plan.placements.uses(online_sum_rewrite(), sum);
}

double bytes(const FusionPlan &plan) {
    double moved = 0;
    for (const Group &g : plan.groups) {
        for (const KernelPrice &k : g.kernels) {
            moved += k.dram_bytes;
        }
    }
    return moved;
}

}  // namespace

TEST_CASE("sum_online: the sum of a softmax, or a sentence") {
    CHECK(refusal([](Graph &, Placements &) {}).empty());
    CHECK(refusal([](Graph &g, Placements &) { g.strict = true; }) ==
          "summing up sum in one pass with largest would scale its terms more than once, which strict "
          "numerics forbid");
    CHECK(refusal([](Graph &g, Placements &) { info(g, sum).output = true; }) ==
          "sum is an output, which the caller gets in memory");
    CHECK(refusal([](Graph &g, Placements &) { info(g, largest).output = true; }) ==
          "largest is an output, which the caller gets in memory");
    CHECK(refusal([](Graph &g, Placements &) { info(g, largest).user_scheduled = true; }) ==
          "largest carries a schedule of the user's, which is left as it is");
    CHECK(refusal([](Graph &g, Placements &) {
              info(g, sum).own_buffer_reason = "is memoized, and keeps its buffer";
          }) == "sum is memoized, and keeps its buffer");
    CHECK(refusal([](Graph &g, Placements &placements) {
              own_late_division(g, sum);
              placements.use(late_division_rewrite(), sum);
          }) == "sum is divided where its tile is written, and has to be summed up there");

    Sketch other;
    const FuncId x = other.input("x", {64, 16}), m = other.reduction("m", {16}, {64}, {{x, {at(1), at(0)}}});
    const FuncId only = other.pointwise("only", {64, 16}, {{x, {at(0), at(1)}}, {m, {at(1)}}}),
                 s = other.reduction("s", {16}, {64}, {{only, {at(1), at(0)}}});
    const FuncId second = other.reduction("second", {16}, {64}, {{x, {at(1), at(0)}}, {m, {at(0)}}});
    const FuncId z = other.pointwise("z", {16}, {{s, {at(0)}}, {m, {at(0)}}, {second, {at(0)}}});
    other.output(z);
    for (const FuncId f : {s, second}) {
        online(other, f, m, {{x, {at(1), at(0)}}});
    }
    Graph g = other.graph();
    g.gpu = true;
    const auto verdict = [&](const Placements &placements, FuncId f) {
        return rewrite_rule_named("sum_online").legal(g, placements, {f, {m}});
    };
    const Placements next = rewrite_rule_named("sum_online").candidates(g, unfused(g), {s, {m}}).front();
    CHECK(next.uses(online_sum_rewrite(), s));
    CHECK(next[only].kind == Kind::inlined);  // nothing reads it any more
    CHECK(verdict(unfused(g), second));
    CHECK(verdict(next, second).reason() == "m is computed in one pass with s already");
    g.funcs[only].user_scheduled = true;
    CHECK(verdict(unfused(g), s).reason() == "only carries a schedule of the user's, which is left as it is");

    Sketch neighbours;
    const FuncId v = neighbours.input("v", {64, 16}),
                 n = neighbours.reduction("n", {16}, {64}, {{v, {at(1), at(0)}}});
    const FuncId t = neighbours.reduction("t", {16}, {64}, {{v, {at(1), at(0)}}, {n, {at(0)}}});
    const FuncId w = neighbours.pointwise("w", {16}, {{t, {at(0)}}, {n, {shifted(0)}}});
    neighbours.output(w);
    online(neighbours, t, n, {{v, {at(1), at(0)}}});
    CHECK(rewrite_rule_named("sum_online")
              .legal(neighbours.graph(), unfused(neighbours.graph()), {t, {n}})
              .reason() == "w reads n at other points than its own");
    neighbours.output(neighbours.external("extern", {16}, {t}));
    CHECK(rewrite_rule_named("sum_online")
              .legal(neighbours.graph(), unfused(neighbours.graph()), {t, {n}})
              .reason() == "extern is an extern stage, which takes t as a buffer");

    const Graph plain = softmax(64, 16);
    CHECK(rewrite_rule_named("sum_online").match(plain, unfused(plain)).empty());
}

TEST_CASE(
    "sum_online: in blocks of the reader, or at Root with the maximum; what moves them apart takes it back") {
    const Graph g = rows_of(1 << 16, 1024);
    const Placements start = inlined_exponentials(g);
    const Site site = rewrite_rule_named("sum_online").match(g, start).front();
    CHECK(site.consumers == std::vector<FuncId>{largest});
    const std::vector<Placements> all = rewrite_rule_named("sum_online").candidates(g, start, site);
    REQUIRE(all.size() == 2);
    CHECK(all[0][sum] == Placement{Kind::block, y});
    CHECK(all[0][largest] == Placement{Kind::block, y});
    CHECK(all[1][sum] == Placement{Kind::root, -1});
    CHECK(all[1][largest] == Placement{Kind::one_pass, sum});
    CHECK(materialized(all[1][largest]));
    for (const Placements &one_pass : all) {
        CHECK(one_pass.uses(online_sum_rewrite(), sum));
        Placements apart = one_pass;
        at_place(apart, largest) = {Kind::root, -1};
        settle(g, one_pass, apart);
        CHECK_FALSE(apart.uses(online_sum_rewrite(), sum));
        // Where all is in one kernel, two are not offered.
        CHECK(rewrite_rule_named("sum_online").candidates(g, one_pass, site).size() ==
              (one_pass[sum].kind == Kind::block ? 0 : 1));
    }
}

TEST_CASE("sum_online: the plan as text, its grade, and the kernels") {
    const Graph g = rows_of(1 << 16, 1024);
    const std::vector<Placements> all =
        rewrite_rule_named("sum_online").candidates(g, inlined_exponentials(g), {sum, {largest}});
    const FusionPlan one = complete(g, round_gpu_machine(), all[0]),
                     two = complete(g, round_gpu_machine(), all[1]);
    CHECK(one.groups.size() == 1);
    CHECK(two.groups.size() == 2);
    const std::string pair = " = online of f3 with f1 (reassociating)\n";
    for (const FusionPlan *plan : {&one, &two}) {
        INFO(to_string(*plan));
        CHECK(to_string(*plan).find(pair) != std::string::npos);
        CHECK(grade(g, *plan) == Grade::reassociating);
        CHECK(bytes(*plan) < 1.01 * 3 * 4 * (1 << 26));  // two passes that read, one that writes
    }
    CHECK(to_string(one).find("f3 in a block of f4\n") != std::string::npos);
    const FusionPlan passes = complete(g, round_gpu_machine(), inlined_exponentials(g));
    CHECK(bytes(passes) > 3.9 * 4 * (1 << 26));
}

TEST_CASE("sum_online: chosen by price, unless numerics are strict or a pin says otherwise") {
    const Graph g = rows_of(1 << 18, 1024);
    const Planned with = planned(g);
    CHECK(is_online(with.plan));
    std::vector<Rule> others = gpu_rules(gpu_rewrite_rules());
    others.erase(std::remove_if(others.begin(), others.end(),
                                [](const Rule &r) { return std::string(r.name) == "sum_online"; }),
                 others.end());
    CHECK(with.plan.cost().total() < plan_greedy(g, round_gpu_machine(), others).plan.cost().total());
    const auto step = std::find_if(with.taken.begin(), with.taken.end(),
                                   [](const Step &s) { return std::string(s.rule) == "sum_online"; });
    REQUIRE(step != with.taken.end());
    CHECK(step->after < step->before);

    Graph strict = g;
    strict.strict = true;
    CHECK_FALSE(is_online(planned(strict).plan));
    const Pins apart = parse_pins(R"({"edges": {"largest->e": "never fuse"}})", "test", g);
    CHECK_FALSE(is_online(planned(g, apart).plan));
    const Pins in_memory = parse_pins(R"({"sum": "root", "largest": "root"})", "test", g);
    CHECK(materialized(planned(g, in_memory).plan.placements[sum]));
}
