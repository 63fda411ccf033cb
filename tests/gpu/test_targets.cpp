// One pipeline's plans for a CPU, CUDA and OpenCL side by side.

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "report/targets.h"
#include "tests/gpu/device_program.h"

using namespace eutectic;
using Halide::Target;
using nlohmann::ordered_json;

namespace {

const std::vector<std::string> three = {
    "x86-64-linux-avx2-fma", "x86-64-linux-avx2-fma-cuda-cuda_capability_80", "x86-64-linux-avx2-fma-opencl"};

/** Plans for `targets`, and what they are compared to. */
struct Compared {
    std::vector<Scheduled> plans;
    TargetComparison comparison;

    Compared(const std::string &generator, const std::vector<std::string> &targets) {
        for (const std::string &target : targets) {
            const auto made = Halide::Internal::GeneratorRegistry::create(
                generator, Halide::GeneratorContext(Target(target)));
            made->arginfos();
            plans.push_back(schedule(made->build_pipeline(), Target(target), Parameters(), true));
        }
        std::vector<Report> reports;
        for (const Scheduled &s : plans) {
            reports.push_back(s.report());
        }
        comparison = compare_targets(reports);
    }
};

std::string bare(const std::string &name) {
    return name.substr(0, name.find('$'));
}

}  // namespace

TEST_CASE("each Func's place is its plan's, and differences have reasons with numbers") {
    int generators_that_differ = 0;
    for (const char *generator : {"softmax", "dense", "mlp"}) {
        INFO(generator);
        const Compared c(generator, three);
        INFO(to_text(c.comparison));
        REQUIRE(c.comparison.plans.size() == 3);
        CHECK(c.comparison.plans[0].kernels == 0);
        CHECK(c.comparison.plans[1].kernels > 0);
        CHECK(c.comparison.plans[1].target.find("cuda") != std::string::npos);
        size_t differ = 0;
        for (const TargetComparison::Row &row : c.comparison.rows) {
            INFO(row.func);
            REQUIRE(row.places.size() == 3);
            for (size_t t = 0; t < 3; t++) {
                const Graph &g = c.plans[t].graph;
                const auto f = std::find_if(g.funcs.begin(), g.funcs.end(), [&](const FuncInfo &i) {
                    return bare(i.name) == bare(row.func);
                });
                REQUIRE(f != g.funcs.end());
                const Placement &p = c.plans[t].planned.plan.placements[f - g.funcs.begin()];
                CHECK(row.places[t].decision == to_string(p.kind));
                CHECK((p.consumer < 0 ? row.places[t].of.empty()
                                      : bare(g.funcs[p.consumer].name) == bare(row.places[t].of)));
                CHECK_FALSE(row.places[t].reason.empty());
            }
            differ += row.differs;
            if (row.differs) {
                CHECK(to_text(c.comparison).find("\n" + row.func + " differs:\n    [1] ") !=
                      std::string::npos);
                CHECK(std::any_of(row.places.begin(), row.places.end(), [](const FuncPlace &p) {
                    return p.reason.find_first_of("0123456789") != std::string::npos;
                }));
            }
        }
        generators_that_differ += differ > 0;
        CHECK(differ < c.comparison.rows.size());
    }
    CHECK(generators_that_differ >= 2);  // dense is one tile everywhere
}

TEST_CASE("what is the same is said to be") {
    const Compared c("softmax", {three[1], three[1]});
    for (const TargetComparison::Row &row : c.comparison.rows) {
        CHECK_FALSE(row.differs);
    }
    const std::string text = to_text(c.comparison);
    CHECK(text.find("\nEvery Func is at the same place in all of these plans.\n") != std::string::npos);
    CHECK(text.find("differs") == std::string::npos);
    CHECK(text.find(" \n") == std::string::npos);
}

TEST_CASE("as JSON") {
    const Compared c("softmax", three);
    const ordered_json json = to_json(c.comparison);
    CHECK(json["targets"].size() == 3);
    CHECK(json["targets"][1]["plan_hash"] == to_json(c.plans[1].report())["plan_hash"]);
    CHECK(json["targets"][1]["kernels"] == to_json(c.plans[1].report())["kernels"].size());
    CHECK(json["targets"][0]["total_seconds"] == c.plans[0].planned.plan.cost().total());
    for (const ordered_json &func : json["funcs"]) {
        CHECK(func["places"].size() == 3);
        CHECK(func["places"][2]["target"] == json["targets"][2]["target"]);
        CHECK(func["places"][0].contains("policy"));
    }
}
