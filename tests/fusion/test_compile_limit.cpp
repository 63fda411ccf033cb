// Plans that keep to a limit on the seconds of compiling them.

#include <doctest/doctest.h>

#include <algorithm>

#include "fusion/search/compile_limit.h"
#include "tests/support/graphs.h"
#include "tests/support/machines.h"
#include "tests/support/random_graph.h"
#include "tests/support/rounds.h"

using namespace eutectic;
using namespace eutectic::test;

namespace {

Planned plan_within(const Graph &graph, std::optional<Seconds> limit, double compile_share = 0) {
    Machine machine = round_machine();
    machine.compile_share = compile_share;
    return within_compile_seconds(machine, limit, [&](const Machine &m, const Planned *before) {
        return before ? plan_greedy_from(*before, graph, m, cpu_rules()) : plan_greedy(graph, m, cpu_rules());
    });
}

Seconds seconds_of(const Planned &planned) {
    return compile_seconds(planned.plan, round_machine());
}

}  // namespace

TEST_CASE("a stage's seconds of compiling grow with its loops' code") {
    const Graph g = dense(128, 64, 128);
    const Machine m = round_machine();
    NestedStage sum;
    for (const NestedStage &s : priced_stages(complete(g, m, unfused(g)).groups.front())) {
        sum = s.work->update == 0 && s.work->accumulates ? s : sum;
    }
    REQUIRE(sum.work->accumulates);
    NestedStage plain = sum, vectors = sum;
    plain.nest = {{{2, 1, Loop::Kind::serial}}, 0, {}};
    vectors.nest = {{{0, 1, Loop::Kind::unroll}}, 0, {}};
    CHECK(compile_seconds(plain, m) > 0);
    CHECK(compile_seconds(vectors, m) > 16 * compile_seconds(plain, m));
    CHECK(compile_seconds({plain, vectors}, m) ==
          m.compile_nest_seconds + compile_seconds(plain, m) + compile_seconds(vectors, m));
    NestedStage in_two = vectors;
    in_two.nest.versions = 2;
    CHECK(compile_seconds(in_two, m) == 2 * compile_seconds(vectors, m));
}

TEST_CASE("a plan that would compile for longer than its limit is planned again with less code") {
    constexpr int size = sanitized ? 64 : 512;  // many tiles
    const Graph g = dense(size, size, size);
    const Planned free = plan_within(g, std::nullopt);
    const Seconds least = seconds_of(plan_within(g, 1e-9)), most = seconds_of(free);
    REQUIRE(least < most);  // a smaller tile
    CHECK(to_string(plan_within(g, most).plan) == to_string(free.plan));
    const Planned within = plan_within(g, (least + most) / 2);
    CHECK(seconds_of(within) <= (least + most) / 2);
    CHECK(within.plan.cost().total() >= free.plan.cost().total());
    for (const Group &group : within.plan.groups) {
        CHECK(group.cost.compiling == 0);
    }
}

TEST_CASE("a second of compiling has to save its share of a run") {
    int spared = 0;
    for (uint64_t seed = 0; seed < rounds(40); seed++) {
        INFO("seed " << seed);
        const Graph g = random_graph(seed);
        const Planned free = plan_within(g, std::nullopt);
        const Seconds run = free.plan.cost().total(), compiling = seconds_of(free);
        for (const double share : {0.01, 1.0, 100.0}) {
            const Planned sparing = plan_within(g, std::nullopt, share);
            const Seconds longer = sparing.plan.cost().total() - run;
            CHECK(longer <= share * run * (compiling - seconds_of(sparing)) + 1e-12);
            spared += seconds_of(sparing) < compiling;
            for (const Group &group : sparing.plan.groups) {
                CHECK(group.cost.compiling == 0);
            }
        }
    }
    CHECK(spared > 0);
}

TEST_CASE("no limit makes a random pipeline compile for longer") {
    for (uint64_t seed = 0; seed < rounds(40); seed++) {
        INFO("seed " << seed);
        const Graph g = random_graph(seed);
        const Seconds free = seconds_of(plan_within(g, std::nullopt));
        CHECK(seconds_of(plan_within(g, free / 2)) <= free);
        CHECK(seconds_of(plan_within(g, free)) == free);
    }
}

TEST_CASE("loops that are hardly run are not cut at their tails") {
    const Extents large = {100000, 64}, small = {1000};
    Sketch sketch;
    const FuncId a = sketch.input("a", large), b = sketch.input("b", small);
    const FuncId sum = sketch.pointwise("sum", large, {{a, {at(0), at(1)}}}, work(20));
    const FuncId scaled = sketch.pointwise("scaled", small, {{b, {at(0)}}}, work(2));
    sketch.output(sum);
    sketch.output(scaled);
    const Graph g = sketch.graph();
    const auto cut = [&](const Planned &planned, FuncId func) {
        for (const Group &group : planned.plan.groups) {
            if (group.root == func) {
                const Loops &loops = group.tree.at(func, -1).loops;
                REQUIRE(loops.size() > 1);
                REQUIRE(loops.back().kind == Loop::Kind::vector);
                return loops[loops.size() - 2].partitioned;  // from vector to vector
            }
        }
        FAIL("no group");
        return false;
    };
    const Planned free = plan_within(g, std::nullopt), sparing = plan_within(g, std::nullopt, 0.01);
    CHECK(cut(free, sum));
    CHECK(cut(free, scaled));
    CHECK(cut(sparing, sum));
    CHECK_FALSE(cut(sparing, scaled));
}
