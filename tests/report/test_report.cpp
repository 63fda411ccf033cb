#include <doctest/doctest.h>

#include <set>

#include <nlohmann/json.hpp>

#include "report/report.h"
#include "tests/support/graphs.h"
#include "tests/support/machines.h"
#include "tests/support/random_graph.h"
#include "tests/support/rounds.h"

using namespace eutectic;
using namespace eutectic::test;
using nlohmann::ordered_json;

namespace {

struct Reported {
    explicit Reported(Graph g)
        : graph(std::move(g)), planned(plan_greedy(graph, round_machine(), cpu_rules())) {
    }
    Graph graph;
    Features features = measure(graph);
    Machine machine = round_machine();
    Planned planned;
    std::string residuals;
    Report report() const {
        return {graph,
                features,
                machine,
                planned,
                "x86-64-linux",
                "y.compute_root();\n",
                {{"graph", 1e-3}, {"plan", 2e-3}},
                3e-3,
                residuals};
    }
};

std::set<std::string> keys(const ordered_json &object) {
    std::set<std::string> result;
    for (const auto &[key, value] : object.items()) {
        result.insert(key);
    }
    return result;
}

std::string hash(const Graph &g, const Machine &m, const FusionPlan &plan) {
    return plan_hash(g, m, plan).whole();
}

}  // namespace

TEST_CASE("the JSON report has its keys, and reads back") {
    const Reported dense_report(dense(128, 784, 256));
    const ordered_json j = ordered_json::parse(to_json(dense_report.report()).dump(2));
    for (const char *key : {"version", "target", "machine", "traffic", "operations", "groups", "edges",
                            "nests", "cost", "unfused_cost", "allocator", "numerics", "grade", "steps",
                            "plan_seconds", "compile_seconds", "plan_hash", "plan_hash_parts", "schedule"}) {
        INFO(key);
        CHECK(j.contains(key));
    }
    CHECK(j["target"] == "x86-64-linux");
    CHECK(j["machine"] == "made up, round numbers");
    CHECK(j["schedule"] == "y.compute_root();\n");
    CHECK(j["plan_seconds"] == 3e-3);
    CHECK(j["steps"].size() == 2);
    CHECK(j["traffic"] == ordered_json({{"unfused_bytes", 786432},
                                        {"fused_bytes", 131072},
                                        {"saved_bytes", 524288},
                                        {"caller_read_bytes", 131072},
                                        {"edges_saved_bytes", 524288}}));
    const std::set<std::string> parts = {"total_seconds", "compute_seconds", "memory_seconds", "idle_seconds",
                                         "launch_seconds"};
    CHECK(keys(j["cost"]) == parts);
    CHECK(j["cost"]["total_seconds"].get<double>() < j["unfused_cost"]["total_seconds"].get<double>());

    REQUIRE(j["operations"].size() == 3);
    CHECK(j["operations"][0]["func"] == "matmul");
    CHECK(j["operations"][0]["role"] == "contraction");
    CHECK(j["operations"][0]["flops"] == 2.0 * 128 * 784 * 256);
    CHECK(j["operations"][0]["stored_bytes"] == 131072);

    REQUIRE(j["groups"].size() == 1);
    const ordered_json &group = j["groups"][0];
    CHECK(group["root"] == "relu");
    CHECK(group["members"] == ordered_json({"matmul", "z", "relu"}));
    CHECK(group["stores_bytes"] == 131072);
    CHECK(group["loads_bytes"] == 4 * (784 * 128 + 784 * 256 + 256));
    CHECK(group["saved_bytes"] == 524288);
    CHECK(keys(group["cost"]) == parts);
    REQUIRE(group["tile"].size() == 2);
    CHECK(group["tile"][0].get<int64_t>() >= 8);  // a vector at least

    REQUIRE(j["edges"].size() == 2);
    CHECK(j["edges"][0]["producer"] == "matmul");
    CHECK(j["edges"][0]["consumer"] == "z");
    CHECK(j["edges"][0]["decision"] == "at tile");
    CHECK(j["edges"][0]["fusion"] == "epilogue");
    CHECK(j["edges"][1]["fusion"] == "element-wise");
    CHECK(j["edges"][1]["producer"] == "z");
    CHECK(j["edges"][1]["consumer"] == "relu");
    CHECK(j["edges"][1]["decision"] == "inlined");
    for (const ordered_json &edge : j["edges"]) {
        CHECK(edge["reason"].get<std::string>().find(" saves 256 KiB of traffic and ") != std::string::npos);
    }
}

TEST_CASE(
    "the JSON report has loops by names, and what a run starts and allocates beside the unfused one's") {
    const Reported dense_report(dense(128, 784, 256));
    const ordered_json j = to_json(dense_report.report());
    CHECK(j["totals"]["fused"]["nests"] == 1);
    CHECK(j["totals"]["unfused"]["nests"] == 3);
    CHECK(j["totals"]["fused"]["temporary_bytes"] == 0);
    CHECK(j["totals"]["unfused"]["temporary_bytes"].get<int64_t>() >= 2 * 131072);
    CHECK(j["allocator"]["unfused_trimming_seconds"] == dense_report.planned.unfused.trimming);
    const ordered_json &update = j["groups"][0]["loops"][2];
    CHECK(update["computed_in"] == ordered_json({{"func", "relu"}, {"update", -1}, {"loop", 1}}));
    CHECK(update["loops"][0] ==
          ordered_json({{"dim", "r2"}, {"step", 1}, {"turns", 784}, {"kind", "serial"}}));
    CHECK(update["text"].get<std::string>().find("matmul.update(0) at d1 by 6 of relu: for r2 (784), ") == 0);
}

TEST_CASE("what a forward keeps for its backward is told, in both forms; other pipelines have no such keys") {
    Reported r(dense(128, 784, 256));
    CHECK_FALSE(to_json(r.report()).contains("residuals"));
    r.residuals =
        R"({"residuals": [{"name": "relu_mask", "type": "uint8", "shape": [32, 128], "bytes": 4096,
                           "kind": "mask"}],
            "total_bytes": 4096,
            "without_residual": [{"name": "h", "kind": "recomputed", "reason": "recomputed from z",
                                  "refused": ["no range is known"]}]})";
    const ordered_json j = to_json(r.report());
    REQUIRE(j["residuals"].size() == 1);
    CHECK(j["residuals"][0]["name"] == "relu_mask");
    CHECK(j["residuals"][0]["bytes"] == 4096);
    CHECK(j["total_residual_bytes"] == 4096);
    CHECK(to_text(r.report()).find("residual relu_mask: mask, 4.00 KiB\n") != std::string::npos);
    CHECK(j["without_residual"][0]["kind"] == "recomputed");
    CHECK(to_text(r.report())
              .find("no residual for h: recomputed; recomputed from z\n    not: no range is known\n") !=
          std::string::npos);
}

TEST_CASE("every edge between operations is decided, with a reason") {
    for (uint64_t seed = 0; seed < rounds(60); seed++) {
        INFO(seed);
        const Reported r(random_graph(seed));
        size_t expected = 0;
        for (const FuncId f : r.graph.funcs.ids()) {
            expected += r.graph.funcs[f].input ? 0 : r.graph.consumer_funcs(f).size();
        }
        const std::vector<EdgeDecision> decisions = edge_decisions(r.graph, r.planned);
        CHECK(decisions.size() == expected);
        for (const EdgeDecision &d : decisions) {
            INFO(d.producer << " -> " << d.consumer << ": " << d.decision);
            const Placement::Kind kind = r.planned.plan.placements[d.producer].kind;
            CHECK(d.decision == (kind == Placement::Kind::inlined ? "inlined"
                                 : kind == Placement::Kind::at    ? "at tile"
                                 : kind == Placement::Kind::block ? "in block"
                                                                  : "in memory"));
            CHECK(d.reason.size() > 20);
            CHECK_FALSE(d.reason.find("no rule applies") != std::string::npos);
        }
        const ordered_json j = to_json(r.report());
        CHECK(j["edges"].size() == expected);
        CHECK(j["groups"].size() == r.planned.plan.groups.size());
    }
}

TEST_CASE("the text report tells groups, edges and totals") {
    const Reported r(dense(128, 784, 256));
    const std::string text = to_text(r.report());
    INFO(text);
    for (const char *part :
         {"Plan for x86-64-linux on made up, round numbers", "group 1: matmul z relu",
          "matmul -> z: at tile, epilogue; ", "z -> relu: inlined, element-wise; ",
          "traffic: 768 KiB unfused, 128 KiB fused, 512 KiB saved (67 %)\n",
          "loop nests: 3 unfused, 1 fused; parallel loops started: ", "\ntemporary bytes: ", "predicted: ",
          "unfused:   ", "planned in 3.00 ms, compiles in some ", ", plan "}) {
        INFO(part);
        CHECK(text.find(part) != std::string::npos);
    }
    const Reported dropout(dense_dropout(1024, 1024, 1024));
    CHECK(to_text(dropout.report()).find("32.0 MiB unfused, 4.00 MiB fused, 24.0 MiB saved (75 %)") !=
          std::string::npos);
}

TEST_CASE(
    "the hash of a plan follows from structure, machine and decisions, each in its part; names have no say") {
    const Graph g = dense(128, 784, 256);
    const Machine m = round_machine();
    const FusionPlan fused = plan_greedy(g, m, cpu_rules()).plan, unfused_plan = plan_unfused(g, m).plan;
    const PlanHash base = plan_hash(g, m, fused);
    CHECK(base.whole() == base.pipeline + "-" + base.machine + "-" + base.decisions);

    const Graph others = renamed(g);
    CHECK(hash(others, m, plan_greedy(others, m, cpu_rules()).plan) == base.whole());

    const PlanHash decided = plan_hash(g, m, unfused_plan);
    CHECK(decided.decisions != base.decisions);
    CHECK(decided.pipeline == base.pipeline);
    CHECK(decided.machine == base.machine);

    Machine faster = m;
    faster.hertz *= 2;
    CHECK(plan_hash(g, faster, fused).machine != base.machine);
    CHECK(plan_hash(g, faster, fused).pipeline == base.pipeline);
    Machine other_name = m;
    other_name.name = "another";
    CHECK(hash(g, other_name, fused) == base.whole());

    const Graph larger = dense(128, 785, 256);
    CHECK(plan_hash(larger, m, fused).pipeline != base.pipeline);
    Graph costlier = g;
    costlier.stages.back().body.flops += 1;
    CHECK(plan_hash(costlier, m, fused).pipeline != base.pipeline);
}

TEST_CASE(
    "nests: a sum in strips of rows that it recomputes says what that takes, and its edge moves nothing") {
    Sketch s;
    const int64_t columns = 1024, rows = 65536;
    const FuncId d = s.input("d", {columns, rows}),
                 z = s.pointwise("z", {columns, rows}, {{d, {at(0), at(1)}}}, work(2)),
                 b = s.reduction("b", {columns}, {rows}, {{z, {at(0), at(1)}}});
    s.output(z);
    s.output(b);
    const Reported reported(s.graph());
    const ordered_json j = to_json(reported.report());
    REQUIRE(j["nests"].size() == 1);
    const std::string why = j["nests"][0]["reason"];
    INFO(why);
    CHECK(why.find("comes from memory once; z is recomputed for b, which takes ") != std::string::npos);
    CHECK(why.find(" and saves a pass over its 256 MiB; it saves ") != std::string::npos);
    REQUIRE(j["edges"].size() == 1);
    CHECK(j["edges"][0]["decision"] == "in memory");
    CHECK(j["edges"][0]["fusion"] == "joint");
    CHECK(j["edges"][0]["reason"].get<std::string>().find("z is recomputed for b, which takes ") == 0);
    CHECK(j["edges"][0]["unfused_bytes"] == 2 * 4 * columns * rows);
    CHECK(j["edges"][0]["fused_bytes"] == 4 * columns * rows);  // it is written
    CHECK(j["edges"][0]["recomputed_operations"] == 2.0 * columns * rows);
    REQUIRE(j["groups"].size() == 1);
    CHECK(j["groups"][0]["loads_bytes"] == 4 * columns * rows);  // d, once
    CHECK(j["groups"][0]["added"][0]["kind"] == "recomputed");
    CHECK(j["groups"][0]["added"][0]["bytes"] == 0);
}

TEST_CASE("nests: which Funcs one nest writes, and why others are apart") {
    Sketch s;
    const int64_t n = 1 << 20;
    const FuncId x = s.input("x", {n});
    const FuncId a = s.pointwise("a", {n}, {{x, {at(0)}}}),
                 b = s.pointwise("b", {n}, {{x, {at(0)}}}, work(0, 0, 4));
    s.output(a);
    s.output(b);
    s.output(s.pointwise("c", {n}, {{x, {at(0)}}, {b, {shifted(0)}}}));
    const Reported reported(s.graph());
    const ordered_json j = to_json(reported.report());
    REQUIRE(j["nests"].size() == 2);
    CHECK(j["nests"][0]["func"] == "a");
    CHECK(j["nests"][0]["decision"] == "one nest");
    CHECK(j["nests"][0]["fusion"] == "joint");
    CHECK(j["nests"][1]["fusion"] == "none");
    const std::string with = j["nests"][0]["with"], why = j["nests"][0]["reason"];
    CHECK((with == "b" || with == "c"));
    CHECK(why.find("one nest writes both, and what both read comes from memory once; it saves ") == 0);
    CHECK(j["nests"][1]["decision"] == "apart");
    CHECK(j["nests"][1]["reason"] == "c is computed from what the same nest would write");
    CHECK(to_text(reported.report()).find("a with " + with + ": one nest, joint; one nest writes both") !=
          std::string::npos);
    for (const auto &group : j["groups"]) {
        if (group["policy"] == "streaming_together") {
            CHECK(group["members"].size() == 2);
            CHECK(group["stores_bytes"] == 8 * n);
            CHECK(group["loads_bytes"] == (with == "b" ? 4 : 8) * n);
            CHECK(group["saved_bytes"] == 0);
        }
    }
}
