// What holds of every plan, over random pipelines.

#include <doctest/doctest.h>

#include <algorithm>

#include "fusion/rules/rule.h"
#include "fusion/rules/rules.h"
#include "fusion/search/completer.h"
#include "fusion/search/descend.h"
#include "fusion/search/moves.h"
#include "fusion/search/runner_up.h"
#include "tests/support/graphs.h"
#include "tests/support/machines.h"
#include "tests/support/random_graph.h"
#include "tests/support/rounds.h"

using namespace eutectic;
using namespace eutectic::test;

namespace {

constexpr uint64_t pipelines = rounds(60);

void check_placements(const Graph &g, const Placements &placements) {
    REQUIRE(placements.size() == g.funcs.size());
    for (const FuncId f : g.funcs.ids()) {
        const FuncInfo &info = g.funcs[f];
        INFO(info.name);
        const Placement &p = placements[f];
        if (info.input) {
            CHECK(p.kind == Placement::Kind::inlined);
            continue;
        }
        if (info.output || info.user_scheduled) {
            CHECK(materialized(p));
        }
        if (info.stages.size() > 1 || g.pure_stage(f).role == Role::opaque) {
            CHECK(p.kind != Placement::Kind::inlined);
        }
        if (p.kind == Placement::Kind::joint) {
            CHECK(may_write_with(g, placements, f, p.consumer));
        }
        if (p.kind == Placement::Kind::strips) {
            CHECK(may_sum_in_strips(g, placements, f, p.consumer));
        }
        if (p.kind == Placement::Kind::at) {
            CHECK(placements.at(p.consumer).kind == Placement::Kind::root);
            CHECK_FALSE(g.funcs.at(p.consumer).user_scheduled);
        }
    }
}

/** Every operation is a member of one group at least, and of one only if it is not inlined. */
void check_groups(const Graph &g, const FusionPlan &plan) {
    for (const FuncId f : g.funcs.ids()) {
        const auto groups = std::count_if(plan.groups.begin(), plan.groups.end(), [&](const Group &group) {
            return std::count(group.members.begin(), group.members.end(), f) > 0;
        });
        INFO(g.funcs[f].name);
        if (g.funcs[f].input) {
            CHECK(groups == 0);
        } else if (plan.placements[f].kind == Placement::Kind::inlined) {
            CHECK(groups >= 1);
        } else {
            CHECK(groups == 1);
        }
    }
    for (const Group &group : plan.groups) {
        CHECK(std::count(group.members.begin(), group.members.end(), group.root) == 1);
        CHECK(group.cost.total() > 0);
        CHECK(group.cost.total() < 1e6);
    }
}

/** Inner loops have constant sizes, steps do not grow inwards, and vectors are innermost. */
void check_nests(const FusionPlan &plan) {
    for (const Group &group : plan.groups) {
        for (const StageNest &n : group.tree.nests()) {
            INFO("f" << n.func << "." << n.update << ": " << to_string(n.nest));
            Extents step(n.dims.size(), -1);
            int vectors = 0;
            for (size_t l = 0; l < n.nest.loops.size(); l++) {
                const Loop &loop = n.nest.loops[l];
                CHECK(loop.size >= 1);
                if (loop.dim < 0) {
                    CHECK(static_cast<int>(l) < n.nest.shared);
                    continue;
                }
                REQUIRE(n.dims.contains(loop.dim));
                int64_t &before = step[loop.dim];
                CHECK((before < 0 || loop.size <= before));
                before = loop.size;
                vectors += loop.kind == Loop::Kind::vector ? 1 : 0;
                if (loop.kind == Loop::Kind::vector) {
                    CHECK(l + 1 == n.nest.loops.size());
                    CHECK(loop.size == 1);
                }
            }
            CHECK(vectors <= 1);
        }
    }
}

}  // namespace

TEST_CASE("greedy plans are legal, complete, and no worse than the unfused program") {
    for (uint64_t seed = 0; seed < pipelines; seed++) {
        const Graph g = random_graph(seed);
        INFO("seed " << seed << "\n" << to_string(g));
        const Planned planned = plan_greedy(g, round_machine(), cpu_rules());
        check_placements(g, planned.plan.placements);
        check_groups(g, planned.plan);
        check_groups(g, planned.unfused);
        check_nests(planned.plan);
        check_nests(planned.unfused);
        CHECK(planned.unfused.placements == unfused(g));
        CHECK(planned.plan.cost().total() <= planned.unfused.cost().total() * (1 + 1e-9));
    }
}

TEST_CASE("each step that was taken pays, and starts where the last one ended") {
    for (uint64_t seed = 0; seed < pipelines; seed++) {
        INFO(seed);
        const Graph g = random_graph(seed);
        const Planned planned = plan_greedy(g, round_machine(), cpu_rules());
        Seconds now = planned.unfused.cost().total();
        for (const Step &s : planned.taken) {
            CHECK(s.taken);
            CHECK(s.verdict);
            CHECK(s.before == doctest::Approx(now));
            CHECK(s.after < s.before);
            now = s.after;
        }
        CHECK(now == doctest::Approx(planned.plan.cost().total()));
        for (const Step &s : planned.weighed) {
            CHECK_FALSE(s.taken);
            CHECK((s.verdict ? s.after >= s.before : s.after == s.before));
            CHECK(s.verdict.reason().empty() == static_cast<bool>(s.verdict));
        }
    }
}

TEST_CASE("plans do not depend on names, nor on what was planned before") {
    for (uint64_t seed = 0; seed < pipelines; seed++) {
        INFO(seed);
        const Graph g = random_graph(seed);
        const std::string plan = to_string(plan_greedy(g, round_machine(), cpu_rules()).plan);
        CHECK(to_string(plan_greedy(g, round_machine(), cpu_rules()).plan) == plan);
        CHECK(to_string(plan_greedy(renamed(g), round_machine(), cpu_rules()).plan) == plan);
    }
}

TEST_CASE("no rules, no fusion") {
    const Graph g = dense(128, 784, 256);
    const Planned planned = plan_greedy(g, round_machine(), {});
    CHECK(planned.taken.empty());
    CHECK(to_string(planned.plan) == to_string(planned.unfused));
    CHECK(to_string(plan_unfused(g, round_machine()).plan) == to_string(planned.unfused));
}

TEST_CASE("a tie goes to the earlier rule") {
    Rule first = cpu_rules().front(), second = first;
    first.name = "first";
    second.name = "second";
    const Graph g = dense(128, 784, 256);
    const Planned planned = plan_greedy(g, round_machine(), {first, second});
    CHECK_FALSE(planned.taken.empty());
    for (const Step &s : planned.taken) {
        CHECK(std::string(s.rule) == "first");
    }
}

TEST_CASE(
    "where steps end, nothing that left memory would be cheaper there, or where rules put it from there") {
    int undone = 0;
    for (uint64_t seed = 1; seed <= pipelines; seed++) {
        const Graph g = random_graph(seed);
        const Machine m = round_machine();
        const Planned planned = plan_greedy(g, m, cpu_rules());
        for (const Step &step : planned.taken) {
            undone += std::string(step.rule) == "materialize" ? 1 : 0;
        }
        const Placements &chosen = planned.plan.placements;
        for (size_t f = 0; f < chosen.size(); f++) {
            if (g.funcs[f].input || materialized(chosen[f])) {
                continue;
            }
            Placements next = chosen;
            next[f] = {Placement::Kind::root, -1};
            settle(g, next);
            INFO("pipeline " << seed << ", " << g.funcs[f].name);
            CHECK(complete(g, m, next).cost().total() >= planned.plan.cost().total() * (1 - 1e-12));
        }
        for (const RunnerUp &next : runners_up(g, m, cpu_rules(), planned.plan)) {
            INFO("pipeline " << seed << ", " << g.funcs[next.func].name);
            CHECK((materialized(chosen[next.func]) || next.total >= next.plan * (1 - 1e-12)));
        }
    }
    MESSAGE(undone << " steps were taken back");
}

/** The gradient of attention's scores: a product of two matrices, its dot product with each row of the
 * scores, and a pointwise step that reads both. */
Graph gradient_of_scores(int64_t keys, int64_t width) {
    Sketch s;
    const FuncId d_y = s.input("d_y", {width, keys}), v = s.input("v", {width, keys}),
                 scores = s.input("scores", {keys, keys});
    const FuncId d = s.contraction("d", {keys, keys}, {width}, {{d_y, {at(2), at(1)}}, {v, {at(2), at(0)}}});
    const FuncId dot =
        s.reduction("dot", {keys}, {keys}, {{d, {at(1), at(0)}}, {scores, {at(1), at(0)}}}, work(2));
    const FuncId d_scores = s.pointwise(
        "d_scores", {keys, keys}, {{d, {at(0), at(1)}}, {scores, {at(0), at(1)}}, {dot, {at(1)}}}, work(2));
    s.output(s.pointwise("scaled", {keys, keys}, {{d_scores, {at(0), at(1)}}}, work(1)));
    return s.graph();
}

TEST_CASE("what no longer pays is taken back, and the report calls it a step") {
    const Graph g = gradient_of_scores(256, 64);
    TargetDescription x86;
    x86.vector_bits = 512;
    const Machine machine = machine_from_target(x86, 2);
    Completer completer(g, machine);
    Placements start = unfused(g);
    start[3] = start[4] = {Placement::Kind::block,
                           6};  // the product and its dot products, in a block of the last step's rows
    start[5] = {Placement::Kind::inlined, -1};
    Planned planned;
    const Placements end = descend(g, cpu_rules(), completer, start, planned);
    REQUIRE(planned.taken.size() == 1);
    const Step &step = planned.taken.front();
    CHECK(std::string(step.rule) == "materialize");
    CHECK(step.moved == std::vector<FuncId>{3});
    CHECK(step.after < step.before);
    CHECK(materialized(end[3]));
    CHECK(end[4].kind == Placement::Kind::block);
    // Without the rule it stays.
    Planned without;
    CHECK(descend(g, rules_that(cpu_rules(), false), completer, start, without) == start);
}
