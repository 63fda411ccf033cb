#include "apps/bench/plan/rows.h"
#include "apps/bench/plan/study.h"
#include "base/user_error.h"
#include "schedules/hlpipe/vectorized_root.h"

#include <doctest/doctest.h>

#include <map>
#include <set>
#include <sstream>

#include <nlohmann/json.hpp>

using namespace eutectic;
using namespace eutectic::bench;

namespace {

PlanRow named(const std::string &name) {
    return {name, "", nullptr, "", {}};
}

RowResult result_of(const std::string &name, const Measured &measured, std::optional<double> at_root) {
    RowResult result;
    result.row = named(name);
    result.funcs = 3;
    result.planners = {{"eutectic", measured}};
    result.vectorized_root.compile_seconds = at_root;
    return result;
}

Measured planned(double seconds, std::optional<double> compile) {
    Measured measured;
    measured.plan_seconds = seconds;
    measured.peak_bytes = 1 << 20;
    measured.compile_seconds = compile;
    measured.runs = 3;
    return measured;
}

}  // namespace

TEST_CASE("rows that are made in code have the Funcs that their names promise, and estimates") {
    const std::map<std::string, int> funcs = {
        {"chain_25", 25},         {"chain_100", 100},   {"chain_1000", 1000}, {"shared_24", 1},
        {"shared_2000", 1},       {"bitonic_1024", 55}, {"tree_256", 511},    {"camera", 32},
        {"burst_merge", 161},     {"fan_out_50", 54},   {"fan_out_500", 504}, {"stencil_5x5_32", 34},
        {"stencil_5x5_200", 202}, {"box_sums", 2}};
    std::set<std::string> seen;
    for (const PlanRow &row : fixed_rows()) {
        CAPTURE(row.name);
        CHECK(seen.insert(row.name).second);
        CHECK(!row.about.empty());
        if (!row.build) {
            CHECK(!row.generator.empty());
            continue;
        }
        const Halide::Pipeline pipeline = row.build();
        const int count = count_funcs(pipeline);
        CHECK(count > 0);
        const auto promised = funcs.find(row.name);
        CHECK(count == (promised == funcs.end() ? count : promised->second));
        for (const Halide::Func &output : pipeline.outputs()) {
            CHECK(output.function().schedule().estimates().size() ==
                  static_cast<size_t>(output.dimensions()));
        }
    }
    for (const auto &[name, count] : funcs) {
        CHECK(seen.count(name) == 1);
    }
}

TEST_CASE("rows are chosen by name and by pattern, and a wrong name is told with the known ones") {
    const std::vector<PlanRow> rows = {named("chain_25"), named("chain_100"), named("generators/dense")};
    CHECK(choose_rows(rows, {}).size() == 3);
    CHECK(choose_rows(rows, {"chain_*"}).size() == 2);
    CHECK(choose_rows(rows, {"generators/dense", "chain_25"}).at(0).name == "chain_25");
    CHECK_THROWS_WITH_AS(choose_rows(rows, {"chain"}),
                         "There is no row 'chain'; known are chain_25, chain_100, generators/dense.",
                         UserError);
}

TEST_CASE("results as JSON, in a table and summed up") {
    Measured failed;
    failed.failed = "Planning was given up after 8 s of CPU time.";
    Measured uncompiled = planned(0.5, std::nullopt);
    uncompiled.compile_failed = "Compiling was given up after 120 s of CPU time.";
    const std::vector<RowResult> results = {result_of("a", planned(0.25, 6.0), 2.0),
                                            result_of("b", failed, std::nullopt),
                                            result_of("c", uncompiled, std::nullopt)};
    const nlohmann::ordered_json row = to_json(results[0]);
    CHECK(row.at("name") == "a");
    CHECK(row.at("funcs") == 3);
    const nlohmann::ordered_json &one = row.at("planners").at("eutectic");
    CHECK(one.at("plan_seconds") == 0.25);
    CHECK(one.at("compile_ratio") == 3.0);
    CHECK(!one.contains("failed"));
    CHECK(to_json(results[1]).at("planners").at("eutectic").at("failed") == failed.failed);
    CHECK(to_json(results[1]).at("planners").at("eutectic").at("plan_seconds").is_null());
    CHECK(to_json(results[2]).at("planners").at("eutectic").at("compile_failed") ==
          uncompiled.compile_failed);

    const nlohmann::ordered_json sums = summary(results).at("eutectic");
    CHECK(sums.at("planned") == 2);
    CHECK(sums.at("not_planned") == nlohmann::ordered_json({"b"}));
    CHECK(sums.at("slowest") == nlohmann::ordered_json({{"row", "c"}, {"plan_seconds", 0.5}}));
    CHECK(sums.at("largest_ratio") == nlohmann::ordered_json({{"row", "a"}, {"compile_ratio", 3.0}}));

    std::ostringstream table;
    for (const RowResult &result : results) {
        print(table, result);
    }
    CHECK(table.str().find("250 ms") != std::string::npos);
    CHECK(table.str().find("3.00\n") != std::string::npos);
    CHECK(table.str().find("    Planning was given up after 8 s of CPU time.\n") != std::string::npos);
}

TEST_CASE("a task survives the command line") {
    PlanTask task;
    task.row = "chain_25";
    task.file = "a b/\"c\".hlpipe";
    task.effort = "best";
    task.plan_limit = 7;
    CHECK(to_text(task_of(to_text(task))) == to_text(task));
    CHECK(task_of(to_text(task)).file == task.file);
}
