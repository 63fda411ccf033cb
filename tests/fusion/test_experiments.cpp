// What experiments change: the prices, their terms, the policies and the search.

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <set>

#include "base/user_error.h"
#include "cost/pricer.h"
#include "fusion/policies/policy.h"
#include "fusion/search/drawn_machine.h"
#include "fusion/search/plan_beam.h"
#include "fusion/search/plan_exhaustive.h"
#include "machine/terms.h"
#include "tests/support/graphs.h"
#include "tests/support/machines.h"
#include "tests/support/random_graph.h"
#include "tests/support/rounds.h"

using namespace eutectic;
using namespace eutectic::test;

namespace {

// With fewer drawn ones some policies and terms would have nothing to say.
constexpr uint64_t pipelines = sanitized ? 5 : 60;

Machine priced_by(const std::string &name, Machine m) {
    m.experiment.pricer = pricer_named(name);
    m.experiment.priced_by = name;
    return m;
}

Machine priced_by(eutectic_price_nest_function price) {
    Machine m = round_machine();
    m.experiment.pricer = std::make_shared<Pricer>(Pricer{"test", price});
    return m;
}

/** y = 2 x + 1 over so many points, in vectors of 8 and 4 tasks. */
std::vector<NestedStage> pass_over(int64_t points) {
    StageWork w;
    w.func = 1;
    Dim d;
    d.extent = points;
    w.dims.push_back(d);
    Part part;
    part.body = work(2);
    part.depends = DimFlags(1, true);
    w.parts.push_back(part);
    Load x;
    x.producer = 0;
    x.access = identity_access(1, 1);
    x.extents = {points};
    w.loads.push_back(x);
    NestedStage stage{w};
    stage.nest.loops.parallel(0, points / 4).split(0, 8).vectorize(0);
    return {stage};
}

/** Rows of several kinds, so that every policy and every term has something to say. */
std::vector<Graph> graphs() {
    Sketch s;  // down the columns of an image that no cache holds
    const FuncId image = s.input("image", {8192, 8192});
    s.output(s.pointwise("turned", {8192, 8192}, {{image, {at(1), at(0)}}}, work(1)));
    Sketch c;  // and the sums of columns that pages are far apart in
    c.output(c.reduction("sums", {64}, {65536}, {{c.input("rows", {8192, 65536}), {at(0), at(1)}}}));
    std::vector<Graph> all = {dense(128, 784, 256), softmax(4096, 64), dense(4, 4096, 8), s.graph(),
                              c.graph()};
    for (uint64_t seed = 0; seed < pipelines; seed++) {
        all.push_back(random_graph(seed));
    }
    return all;
}

}  // namespace

TEST_CASE("a roofline is the larger of arithmetic at its peak and memory's traffic, and traffic has no "
          "arithmetic") {
    const Machine m = round_machine();
    const int64_t points = int64_t{1} << 26;  // far more than any cache
    const Traffic t = memory_traffic(pass_over(points).front(), m);
    CHECK(t.beyond_l3 > 8.0 * static_cast<double>(points) * 0.9);
    const double peak = priced_machine(m).flops_per_second;
    CHECK(peak == doctest::Approx(2 * m.vector_ops_per_cycle * 8 * m.hertz));
    const Cost roof = price(pass_over(points), priced_by("roofline", m));
    CHECK(roof.compute == doctest::Approx(2.0 * static_cast<double>(points) / peak / 4));
    CHECK(roof.total() == doctest::Approx(std::max(roof.compute, t.beyond_l3 / m.memory_bytes_per_second)));
    CHECK(roof.launch + roof.idle == 0);
    const Cost moved = price(pass_over(points), priced_by("traffic", m));
    CHECK(moved.compute + moved.launch + moved.idle == 0);
    CHECK(moved.memory ==
          doctest::Approx(t.beyond_l1 / m.l2.bytes_per_second / 4 + t.beyond_l2 / m.l3.bytes_per_second / 4 +
                          t.beyond_l3 / m.memory_bytes_per_second));
    // A few points stay in the first level: no traffic, and a roofline of arithmetic.
    CHECK(price(pass_over(1024), priced_by("roofline", m)).memory == 0);
}

TEST_CASE("a cost model is told what the own one knows, with its price") {
    static std::atomic<int> asked;
    asked = 0;
    const Machine m = round_machine();
    const Cost own = price(pass_over(4096), m);
    static Cost told;
    const auto ask = [](const eutectic_nest *nest, const eutectic_machine *machine, eutectic_price *price) {
        asked++;
        CHECK(nest->stage_count == 1);
        CHECK(nest->tasks == 4);
        const eutectic_stage &s = nest->stages[0];
        CHECK(s.points == 4096);
        CHECK(s.flops == 2 * 4096);
        CHECK(s.loaded_bytes == 4 * 4096);
        CHECK(s.stored_bytes == 4 * 4096);
        CHECK(s.lanes == 8);
        CHECK(s.unrolled == 1);
        CHECK(nest->touched_bytes == 8 * 4096);
        CHECK(machine->cores == 4);
        told = {nest->own.compute, nest->own.memory, nest->own.idle, nest->own.launch};
        *price = {1, 2, 3, 4};
    };
    const Cost answered = price(pass_over(4096), priced_by(ask), own.total() / 2);  // no limit holds it up
    CHECK(asked == 1);
    CHECK(told.total() == doctest::Approx(own.total()));
    CHECK(answered.compute == 1);
    CHECK(answered.memory == 2);
    CHECK(answered.idle == 3);
    CHECK(answered.launch == 4);
    for (const double wrong : {-1.0, std::numeric_limits<double>::quiet_NaN()}) {
        static double answer;
        answer = wrong;
        const Machine bad = priced_by([](const eutectic_nest *, const eutectic_machine *,
                                         eutectic_price *price) { price->idle = answer; });
        CHECK_THROWS_WITH_AS(
            price(pass_over(4096), bad),
            ("The cost model test answers " + std::to_string(wrong) +
             " s for a nest of loops, which is no time: let it answer numbers of seconds of at "
             "least 0.")
                .c_str(),
            UserError);
    }
}

TEST_CASE("what is told of a plan's stages counts every iteration, in tiles too") {
    // A product whose reduction runs to its end in each tile of what reads it: 2 m n k operations, wherever
    // its loops are.
    const int64_t m = 128, n = 256, k = 784;
    const Graph g = dense(m, k, n);
    const FusionPlan plan = plan_greedy(g, round_machine(), cpu_rules()).plan;
    double most = 0;
    for (const Group &group : plan.groups) {
        const std::vector<NestedStage> stages = group.tree.priced();
        const NestFeatures nest = nest_features(stages, round_machine(), parallel_tasks(stages.front()),
                                                price(stages, round_machine()));
        for (const eutectic_stage &stage : nest.stages) {
            most = std::max(most, stage.flops);
        }
    }
    const double wanted = 2.0 * static_cast<double>(m * n * k);
    CHECK(most >= wanted);
    CHECK(most <= 1.2 * wanted);  // tails are whole tiles
}

TEST_CASE("plans are those of the prices: where memory is free, everything stays there") {
    const auto free_memory = [](const eutectic_nest *nest, const eutectic_machine *, eutectic_price *price) {
        for (int s = 0; s < nest->stage_count; s++) {
            price->compute += nest->stages[s].points + 100 * nest->stages[s].recomputed;
        }
    };
    Sketch s;
    const int64_t large = 1 << 22;
    const FuncId x = s.input("x", {large});
    const FuncId p = s.pointwise("p", {large}, {{x, {at(0)}}}, work(2));
    s.output(s.pointwise("y", {large}, {{p, {at(0)}}, {p, {tap(0, 1)}}}));
    const Graph g = s.graph();
    CHECK(plan_greedy(g, round_machine(), cpu_rules()).plan.placements[p].kind != Placement::Kind::root);
    Machine m = priced_by(free_memory);
    m.allocation_seconds = m.fresh_page_seconds = 0;
    CHECK(plan_greedy(g, m, cpu_rules()).plan.placements[p].kind == Placement::Kind::root);
    int others = 0;
    for (const Graph &graph : graphs()) {
        const FusionPlan own = plan_greedy(graph, round_machine(), cpu_rules()).plan,
                         roof = plan_greedy(graph, priced_by("roofline", round_machine()), cpu_rules()).plan;
        const Seconds anew = priced_anew(graph, roof, round_machine());
        CHECK(std::isfinite(anew));
        CHECK(priced_anew(graph, own, round_machine()) == doctest::Approx(own.cost().total()));
        others += to_string(own) == to_string(roof) ? 0 : 1;
    }
    CHECK(others > 0);
}

TEST_CASE("without a term hardly anything takes longer, and something takes less") {
    for (const bool gpu : {false, true}) {
        TargetDescription x86;
        x86.vector_bits = 512;
        const Machine whole = gpu ? round_gpu_machine() : machine_from_target(x86, 4);
        const std::vector<Graph> all_graphs = graphs();
        std::vector<FusionPlan> with_all;
        for (const Graph &g : all_graphs) {
            with_all.push_back(plan_unfused(g, whole).plan);
        }
        std::set<std::string> names;
        for (const PriceTerm &term : price_terms(gpu)) {
            INFO(std::string(term.name) << (gpu ? " of a GPU" : " of a CPU"));
            CHECK(names.insert(term.name).second);
            CHECK(std::string(term.name).rfind("price.", 0) == 0);
            const Machine without = without_terms(whole, {term.name});
            CHECK(to_string(without).find(std::string(", without ") + term.name) != std::string::npos);
            int less = 0;
            for (size_t i = 0; i < all_graphs.size(); i++) {
                const FusionPlan &all = with_all[i], left = plan_unfused(all_graphs[i], without).plan;
                less += left.cost().total() < all.cost().total() ? 1 : 0;
                for (const Group &group : gpu ? std::vector<Group>() : all.groups) {  // in the same loops
                    const Seconds now = price(group.tree, whole).total(),
                                  then = price(group.tree, without).total();
                    CHECK(then <= now * 1.1);  // what computing hid may be waited for
                    less += then < now ? 1 : 0;
                }
            }
            CHECK(less > 0);
        }
        CHECK(to_string(without_terms(whole, {"price.none"})) == to_string(whole));
    }
}

TEST_CASE("a policy that is left out runs nothing, and the plan says so") {
    for (const bool gpu : {false, true}) {
        const std::vector<Rule> rules = gpu ? gpu_rules({}) : cpu_rules();
        std::set<std::string> seen;
        const auto names = [&](const FusionPlan &plan) {
            std::set<std::string> of;
            for (const Group &group : plan.groups) {
                of.insert(group.policy);
            }
            return of;
        };
        const Machine whole = gpu ? round_gpu_machine() : round_machine();
        for (const Graph &g : graphs()) {
            for (const std::string &name : names(plan_greedy(g, whole, rules).plan)) {
                Machine m = whole;
                m.experiment.policies = {name};
                const std::vector<Policy> &all = policies_for(whole);
                const auto listed = std::find_if(all.begin(), all.end(),
                                                 [&](const Policy &policy) { return policy.name == name; });
                if (listed == all.end() || listed->last_resort || !seen.insert(name).second) {
                    continue;
                }
                const FusionPlan without = plan_greedy(g, m, rules).plan;
                INFO(name);
                // A Func that no other policy has loops for has none: the scheduler refuses such plans.
                for (const Group &group : without.groups) {
                    CHECK(group.policy.empty() == !std::isfinite(group.cost.total()));
                }
                CHECK(names(without).count(name) == 0);
                CHECK(std::any_of(without.groups.begin(), without.groups.end(), [&](const Group &group) {
                    return std::find(group.refused.begin(), group.refused.end(), name + " is left out") !=
                           group.refused.end();
                }));
            }
        }
        CHECK(seen.size() >= 4);
    }
}

TEST_CASE("an exhaustive search finds nothing worse than a beam, keeps to pins, and says where it ends") {
    const Machine m = round_machine();
    Sketch s;
    const FuncId x = s.input("x", {256, 256});
    const FuncId p = s.pointwise("p", {256, 256}, {{x, {at(0), at(1)}}});
    const FuncId q = s.pointwise("q", {256, 256}, {{p, {at(0), at(1)}}, {p, {tap(0, 1), at(1)}}});
    s.output(s.pointwise("y", {256, 256}, {{q, {at(0), at(1)}}, {q, {at(0), tap(1, 1)}}}));
    const Graph g = s.graph();
    const Planned all = plan_exhaustive(g, m);
    CHECK(all.plan.cost().total() <= plan_beam(g, m, cpu_rules()).plan.cost().total() * (1 + 1e-9));
    CHECK(to_string(all.unfused) == to_string(plan_unfused(g, m).plan));
    for (const Step &step : all.taken) {
        CHECK(step.rule == std::string("exhaustive"));
    }
    CHECK_FALSE(all.taken.empty());
    const Pins pins = parse_pins(R"({"p": "root", "q": "root"})", "p.json", g);
    const Planned pinned = plan_exhaustive(g, m, pins);
    CHECK(pinned.plan.placements[p].kind == Placement::Kind::root);
    CHECK(pinned.plan.placements[q].kind == Placement::Kind::root);
    CHECK(pinned.plan.cost().total() > all.plan.cost().total());
    if (sanitized) {
        return;  // some minutes of it
    }
    Sketch many;
    FuncId last = many.input("x", {64});
    for (int i = 0; i < 30; i++) {
        last = many.pointwise("p" + std::to_string(i), {64}, {{last, {at(0)}}, {last, {tap(0, 1)}}});
    }
    many.output(last);
    CHECK_THROWS_WITH_AS(
        plan_exhaustive(many.graph(), m),
        "The search exhaustive was asked for, but there are more than 100000 ways to place the "
        "31 Funcs of this pipeline: search with a beam, or pin some of them.",
        UserError);
}
