#include "apps/bench/process.h"
#include "apps/bench/results.h"
#include "apps/bench/statistics.h"
#include "apps/bench/suite.h"
#include "apps/bench/workload.h"
#include "base/user_error.h"

#include <doctest/doctest.h>

#include <cmath>
#include <sstream>

using namespace eutectic;
using namespace eutectic::bench;

TEST_CASE("quantiles interpolate between neighbours") {
    CHECK(quantile({3}, 0.25) == 3);
    CHECK(quantile({1, 2}, 0.5) == 1.5);
    CHECK(quantile({1, 2, 3, 4, 5}, 0.25) == 2);
    CHECK(quantile({1, 2, 3, 4}, 0.75) == doctest::Approx(3.25));
    CHECK(quantile({1, 2, 3, 4}, 1) == 4);
}

TEST_CASE("a summary does not depend on the samples' order") {
    const Summary s = summarize({5, 1, 4, 2, 3});
    CHECK(s.minimum == 1);
    CHECK(s.first_quartile == 2);
    CHECK(s.median == 3);
    CHECK(s.third_quartile == 4);
}

TEST_CASE("differences are relative to each tensor's largest value, and nothing odd passes as small") {
    CHECK(largest_difference({{1, 2}, {1000, 1}}, {{1, 2}, {1000, 1}}) == 0);
    CHECK(largest_difference({{1, 2}, {1000, 2}}, {{1, 2}, {1000, 1}}) == doctest::Approx(1e-3));
    CHECK(largest_difference({{1, 3}, {1000, 1}}, {{1, 2}, {1000, 1}}) == doctest::Approx(0.5));
    CHECK(std::isinf(largest_difference({{1, NAN}}, {{1, 2}})));
    CHECK(std::isinf(largest_difference({{1}}, {{1, 2}})));
    CHECK(std::isinf(largest_difference({{1, 2}}, {{1, 2}, {3}})));
    CHECK(largest_difference({{1e-3}}, {{0}}) > 1);
}

TEST_CASE("suite cpu has the rows that it promises, of known contenders") {
    const Suite cpu = find_suite("cpu");
    REQUIRE(cpu.rows.size() >= 2);
    CHECK(cpu.rows[0].name == "dense_relu");
    CHECK(cpu.rows[1].name == "mlp_step");
    CHECK(cpu.rows[1].generators == std::vector<std::string>{"mlp_loss_forward", "mlp_loss_backward"});
    CHECK(contender_names() == std::vector<std::string>{"eutectic", "unfused", "manual", "Mullapudi2016", "Adams2019", "Li2018"});
}

TEST_CASE("choices keep the order, and what is not there is refused with what is") {
    const std::vector<std::string> all = {"a", "b", "c"};
    CHECK(choose("row", all, {}) == all);
    CHECK(choose("row", all, {"c", "a"}) == std::vector<std::string>{"a", "c"});
    CHECK_THROWS_WITH_AS(choose("row", all, {"d"}), "There is no row 'd'; known are a, b, c.", UserError);
    CHECK_THROWS_WITH_AS(find_suite("gpu"), "There is no suite 'gpu'; known are cpu.", UserError);
}

TEST_CASE("a child's output, failure, signal and time limit are all told") {
    CHECK(run_process({"/bin/echo", "hello"}, 10).output == "hello\n");
    CHECK(run_process({"/bin/echo", "hello"}, 10).failure.empty());
    CHECK(run_process({"/bin/sh", "-c", "echo first >&2; echo why >&2; exit 3"}, 10).failure == "exit status 3 (why)");
    CHECK(run_process({"/bin/sh", "-c", "kill -SEGV $$"}, 10).failure.find("signal: Segmentation fault") != std::string::npos);
    CHECK(run_process({"/bin/sleep", "20"}, 0.2).failure.find("ran longer than") == 0);
    CHECK(run_process({"/no/such/program"}, 10).failure == "exit status 127");
}

TEST_CASE("results have the shape that scripts read, and the table says why a contender is missing") {
    Outcome outcome;
    outcome.row = "dense_relu";
    outcome.verified = true;
    outcome.plan_seconds = 0.01;
    outcome.times["eutectic"] = {1e-3, 1.1e-3, 1.2e-3, 1.3e-3};
    outcome.times["unfused"] = {2e-3, 2e-3, 2e-3, 2e-3};
    outcome.processes["eutectic"] = outcome.processes["unfused"] = {1e-3, 1e-3, 1e-3};
    outcome.failed["manual"] = "was not built";
    const nlohmann::json json = to_json({{"machine", {}}, {"versions", {}}}, {outcome});
    const nlohmann::json &row = json.at("rows").at(0);
    CHECK(row.at("name") == "dense_relu");
    CHECK(row.at("verified") == true);
    CHECK(row.at("plan_seconds") == 0.01);
    CHECK(row.at("seconds") == nlohmann::json({{"eutectic", 1e-3}, {"unfused", 2e-3}}));
    CHECK(row.at("spread").at("eutectic").at("median") == 1.2e-3);
    CHECK(row.at("failed").at("manual") == "was not built");
    CHECK(to_json({}, {Outcome()}).at("rows").at(0).at("plan_seconds").is_null());

    std::ostringstream table;
    print_table(table, outcome, {"eutectic", "unfused", "manual"});
    CHECK(table.str().find("2.00 times as fast") != std::string::npos);
    CHECK(table.str().find("manual failed: was not built") != std::string::npos);
}
