#include "apps/bench/before.h"
#include "apps/bench/json_lines.h"
#include "apps/bench/results.h"
#include "apps/bench/suite.h"
#include "apps/bench/workload.h"
#include "apps/support/statistics.h"
#include "base/process.h"
#include "base/user_error.h"
#include "tests/apps/gradient_rows.h"
#include "tests/apps/outcomes.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include <nlohmann/json.hpp>

using namespace eutectic;
using namespace eutectic::bench;
using namespace eutectic::test;

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

double difference(const std::vector<float> &results, const std::vector<float> &reference) {
    return largest_difference(results.data(), reference.data(), reference.size());
}

TEST_CASE("differences are relative to the tensor's largest value, and nothing odd passes as small") {
    CHECK(difference({1000, 1}, {1000, 1}) == 0);
    CHECK(difference({1000, 2}, {1000, 1}) == doctest::Approx(1e-3));
    CHECK(difference({1, 3}, {1, 2}) == doctest::Approx(0.5));
    CHECK(std::isinf(difference({1, NAN}, {1, 2})));
    CHECK(difference({1e-3f}, {0}) > 1);
}

TEST_CASE("suite cpu has the rows that it promises, of known contenders") {
    const Suite cpu = find_suite("cpu");
    std::vector<std::string> names;
    for (const Row &row : cpu.rows) {
        names.push_back(row.name);
    }
    for (const char *promised : {"dense_relu", "mlp_step", "matmul_1024", "softmax_1024", "softmax_32000",
                                 "log1pexp", "layernorm", "softmax_xent", "attention", "bottleneck"}) {
        CHECK_MESSAGE(std::count(names.begin(), names.end(), promised) == 1, promised);
    }
    REQUIRE(cpu.rows.size() >= 2);
    CHECK(cpu.rows[0].kernels.at(0).params.at("activation") == "relu");
    CHECK(cpu.rows[1].kernels.at(1).generator == "mlp_loss_backward");
    CHECK(contender_names() == std::vector<std::string>{"eutectic", "joint", "joint_arena", "unfused",
                                                        "manual", "Mullapudi2016", "Adams2019", "Li2018",
                                                        "Anderson2021", "with_eigen", "eigen",
                                                        "with_openblas", "openblas", "with_onednn", "onednn",
                                                        "torch", "torch_compile", "jax"});
    CHECK(kind_of("Adams2019") == ContenderKind::halide);
    CHECK_FALSE(cpu.rows[0].admits("joint"));
    CHECK(cpu.rows[0].admits("before"));  // where eutectic is
    CHECK(kind_of("jax") == ContenderKind::peer);
}

TEST_CASE("suite products: a library by itself takes part in rows of one product, and where it is named") {
    const Suite products = find_suite("products", "avx2");
    CHECK(products.rows.size() >= 25);
    for (const Row &row : products.rows) {
        CAPTURE(row.name);
        const std::string &generator = row.kernels.at(0).generator;
        const bool is_product = generator == "matmul" || generator == "batched_matmul";
        CHECK(row.admits("openblas") == is_product);
        CHECK(row.admits("eutectic"));
        CHECK(row.admits("before"));
        CHECK(row.admits("torch"));
        CHECK_FALSE(row.admits("manual"));
        if (row.yardstick) {
            CHECK(row.yardstick->name == "fma_peak");
            CHECK(row.work > 0);
        }
    }
    Row open = row_named("open");  // of a suite that names nobody
    open.contenders.clear();
    open.kernels = {{"matmul", {}}};
    CHECK(open.admits("eutectic"));
    CHECK_FALSE(open.admits("openblas"));
    CHECK_FALSE(open.admits("with_openblas"));
}

TEST_CASE("a library by itself is a peer, the fastest counts") {
    const Suite suite{"products", {row_named("a")}};
    const Outcome outcome = outcome_of("a", {{"eutectic", 2}, {"openblas", 3}, {"torch", 4}});
    CHECK(geometric_means(suite, {outcome}).at("eutectic").at("best_peer").ratio == doctest::Approx(1.5));
}

TEST_CASE("suite grad has the rows and sizes that it promises, forward and backward of one generator each") {
    const Suite grad = find_suite("grad");
    Promised promised = promised_operations;
    promised.insert(promised_models.begin(), promised_models.end());
    CHECK(grad.rows.size() == promised.size());
    for (const Row &row : grad.rows) {
        CAPTURE(row.name);
        REQUIRE(promised.count(row.name) == 1);
        CHECK(row.gradient);
        REQUIRE(row.kernels.size() == 2);
        const std::string &forward = row.kernels[0].generator, &backward = row.kernels[1].generator;
        CHECK(forward.substr(0, forward.rfind("_forward")) ==
              backward.substr(0, backward.rfind("_backward")));
        CHECK(row.kernels[0].params == promised.at(row.name));
        CHECK(row.kernels[1].params == promised.at(row.name));
        CHECK(row.counts);
        CHECK(row.contenders == std::vector<std::string>{"eutectic", "joint", "joint_arena", "unfused",
                                                         "Mullapudi2016", "Adams2019", "Li2018", "torch",
                                                         "torch_compile", "jax"});
        CHECK(row.admits("joint"));
        CHECK(row.generator_of("eutectic", 1) == backward);
        CHECK(row.generator_of("reference", 0) == forward);
        CHECK(row.generator_of("joint", 0) == forward.substr(0, forward.rfind("_forward")) + "_gradient");
        CHECK(row.generator_of("Li2018", 0) == "plain_gradient");
        REQUIRE(row.yardstick);
        CHECK(row.yardstick->work ==
              8 * std::stod(row.yardstick->kernel.params.at("n")));  // bytes: a float read and one written
    }
}

TEST_CASE(
    "a backward's lower bound is the larger of its bytes and its operations, at rates that were measured") {
    GradientFigures figures;
    figures.forward = {2e-3, 1e6, 1e9, 0.5, 0.01};
    figures.backward = {3e-3, 4e6, 1.2e9, 0.75, 0.02};
    figures.residual_bytes = 4096;
    CHECK(figures.least_seconds() == doctest::Approx(2.4e-3));  // 1.2e9 operations at 0.5e12 a second
    CHECK(figures.bound_by() == std::string("operations"));
    figures.bytes_per_second = 2e9;
    CHECK(figures.least_seconds() == doctest::Approx(2.4e-3));
    figures.bytes_per_second = 1.6e9;
    CHECK(figures.least_seconds() == doctest::Approx(2.5e-3));
    CHECK(figures.bound_by() == std::string("bytes"));
    CHECK(figures.to_bound() == doctest::Approx(1.2));
    CHECK(figures.to_forward() == doctest::Approx(1.5));
    const nlohmann::json json = to_json(figures);
    CHECK(json.at("backward_to_bound") == doctest::Approx(1.2));
    CHECK(json.at("differentiate_seconds") == doctest::Approx(0.03));
    CHECK(json.at("compile_seconds") == doctest::Approx(1.25));
    CHECK(json.at("residual_bytes") == 4096);
    CHECK(to_text(figures).find("1.20 of the least by its bytes") != std::string::npos);

    Row row = row_named("a");
    row.gradient = true;
    row.yardstick = Yardstick{"stream", {}, 8};
    Outcome outcome = outcome_of("a", {{"eutectic", 4}, {"stream", 1}});
    outcome.gradient = figures;
    const nlohmann::json written = to_json({}, Suite{"grad", {row}}, {outcome}).at("rows").at(0);
    CHECK(written.at("gradient").at("bound_by") == "bytes");
    CHECK(!written.contains("yardstick"));
    CHECK(!written.at("seconds").contains("stream"));
    std::ostringstream table;
    print_table(table, row, outcome, {"eutectic"});
    CHECK(table.str().find("keeps 4") != std::string::npos);
}

TEST_CASE("choices keep the order, and what is not there is refused with what is") {
    const std::vector<std::string> all = {"a", "b", "c"};
    CHECK(choose("row", all, {}) == all);
    CHECK(choose("row", all, {"c", "a"}) == std::vector<std::string>{"a", "c"});
    CHECK_THROWS_WITH_AS(choose("row", all, {"d"}), "There is no row 'd'; known are a, b, c.", UserError);
    CHECK_THROWS_WITH_AS(
        find_suite("gpu"),
        "There is no suite 'gpu'; known are cpu, cuda, grad, image, opencl, products, tangent.", UserError);
}

TEST_CASE("before takes part if its plugin is named, and then with eutectic in any case") {
    CHECK(choose_contenders({}, false) == contender_names());
    CHECK(choose_contenders({"jax", "manual"}, false) == std::vector<std::string>{"manual", "jax"});
    const std::vector<std::string> all = choose_contenders({}, true);
    CHECK(all.size() == contender_names().size() + 1);
    CHECK(std::vector<std::string>(all.begin(), all.begin() + 2) ==
          std::vector<std::string>{"eutectic", "before"});
    CHECK(choose_contenders({"jax"}, true) == std::vector<std::string>{"eutectic", "before", "jax"});
    CHECK_THROWS_WITH_AS(choose_contenders({"before"}, false),
                         "The contender 'before' is another build's plugin; name it with --before PATH.",
                         UserError);
    CHECK(kind_of("before") == ContenderKind::before);
    Row row = row_named("a");
    row.contenders = {"manual"};
    CHECK_FALSE(row.admits("before"));
    CHECK_THROWS_WITH_AS(plugin_at("--before", "/no/such.so"),
                         "The plugin /no/such.so of --before does not exist; give the path of a "
                         "libautoschedule_eutectic.so.",
                         UserError);
}

TEST_CASE("kept JSON has a record a line, and says what it said") {
    const nlohmann::ordered_json json = {{"b", 0.1},
                                         {"a", {{"x", {1, 2}}}},
                                         {"none", nlohmann::ordered_json::object()},
                                         {"rows", {{{"name", "\"q\""}, {"s", {1.5, 2}}}, {{"name", "r"}}}}};
    CHECK(json_lines(json, 2) ==
          "{\n \"b\": 0.1,\n \"a\": {\n  \"x\": [1,2]\n },\n \"none\": {},\n"
          " \"rows\": [\n  {\"name\":\"\\\"q\\\"\",\"s\":[1.5,2]},\n  {\"name\":\"r\"}\n ]\n}\n");
    CHECK(json_lines(json, 0) == json.dump() + "\n");
    CHECK(nlohmann::ordered_json::parse(json_lines(json, 9)) == json);
}

TEST_CASE("a child's output, failure, signal and time limit are all told") {
    CHECK(run_process({"/bin/echo", "hello"}, 10).output == "hello\n");
    CHECK(run_process({"/bin/echo", "hello"}, 10).failure.empty());
    CHECK(run_process({"/bin/sh", "-c", "echo first >&2; echo why >&2; exit 3"}, 10).failure ==
          "exit status 3 (why)");
    CHECK(run_process({"/bin/sh", "-c", "kill -SEGV $$"}, 10).failure.find("signal: Segmentation fault") !=
          std::string::npos);
    CHECK(run_process({"/bin/sleep", "20"}, 0.2).failure.find("ran longer than") == 0);
    CHECK(run_process({"/no/such/program"}, 10).failure == "exit status 127");
}

TEST_CASE("a worker answers a line with a line, and its death or slowness is told once") {
    Worker echo({"/bin/sh", "-c",
                 "echo hello; while read line; do [ \"$line\" = die ] && { echo why >&2; exit 3; }; echo "
                 "\"<$line>\"; done"});
    CHECK(echo.ask("", 10).output == "hello");
    CHECK(echo.ask("one", 10).output == "<one>");
    CHECK(echo.ask("two", 10).output == "<two>");
    CHECK(echo.ask("die", 10).failure == "exit status 3 (why)");
    CHECK(!echo.alive());
    Worker slow({"/bin/sh", "-c", "sleep 20"});
    CHECK(slow.ask("", 0.2).failure.find("ran longer than") == 0);
    CHECK(!slow.alive());
    Worker missing({"/no/such/program"});
    CHECK(missing.ask("", 10).failure == "exit status 127");
}

TEST_CASE("peers that are not installed are said so") {
    CHECK(Peers("/no/such/folder", "", "cpu", "/no/such/folder").missing() ==
          "is not installed; scripts/peers installs it");
}

TEST_CASE("means are over the rows that both ran, against the fastest of a kind") {
    Suite suite{"cpu", {row_named("a"), row_named("b"), row_named("c"), row_named("d")}};
    suite.rows[0].by_hand = 2;
    suite.rows[1].variants = 50;
    suite.rows[3].counts = false;
    const std::vector<Outcome> outcomes = {
        outcome_of("a", {{"eutectic", 1},
                         {"torch", 4},
                         {"jax", 5},
                         {"Li2018", 3},
                         {"manual", 3}}),  // manual is not worthy: 4/3 < 0.9 * 2
        outcome_of(
            "b",
            {{"eutectic", 1}, {"torch", 2}, {"jax", 1}, {"Adams2019", 12}, {"Li2018", 13}, {"manual", 0.5}}),
        outcome_of("c", {{"eutectic", 1}, {"manual", 7}}),  // nobody said how it was tuned
        outcome_of("d", {{"eutectic", 1}, {"torch", 100}}),
    };
    const Means means = geometric_means(suite, outcomes).at("eutectic");
    CHECK(means.at("best_peer").ratio == doctest::Approx(2));
    CHECK(means.at("best_peer").rows == 2);
    CHECK(means.at("best_peer").worst == doctest::Approx(1));
    CHECK(means.at("best_peer").worst_row == "b");
    CHECK(means.at("best_peer_table").ratio == doctest::Approx(4));
    CHECK(means.at("best_halide").ratio == doctest::Approx(6));
    CHECK(means.at("manual").ratio == doctest::Approx(0.5));
    CHECK(means.at("manual").rows == 1);
    CHECK(geometric_means(suite, outcomes).at("jax").at("best_peer").ratio ==
          doctest::Approx(std::sqrt(4.0 / 5)));
    std::ostringstream text;
    print_means(text, suite, outcomes);
    CHECK(text.str().find("best_halide 6.00 (2; 3.00 a)") != std::string::npos);
    CHECK(text.str().find("does not count in a, c") != std::string::npos);
    CHECK(to_json({}, suite, outcomes).at("means").at("eutectic").at("manual").at("rows") == 1);
}

TEST_CASE("a share of the yardstick's speed accounts for the work of both") {
    Row row = row_named("a");
    row.yardstick = Yardstick{"fma_peak", {}, 100};
    row.work = 200;
    const Suite suite{"cpu", {row}};
    const Outcome outcome = outcome_of("a", {{"eutectic", 4}, {"fma_peak", 1}});
    const nlohmann::json json = to_json({}, suite, {outcome}).at("rows").at(0);
    CHECK(json.at("yardstick").at("shares").at("eutectic") == doctest::Approx(0.5));
    CHECK(!json.at("seconds").contains("fma_peak"));
    CHECK(json.at("yardstick").at("transcendental_seconds").is_null());
    Outcome bound = outcome;
    bound.transcendental_seconds = 3;  // more than the 2 that the yardstick takes for as much work
    CHECK(to_json({}, suite, {bound}).at("rows").at(0).at("yardstick").at("shares").at("eutectic") ==
          doctest::Approx(0.75));
    CHECK(to_json({}, suite, {bound}).at("rows").at(0).at("yardstick").at("transcendental_seconds") == 3);
    std::ostringstream table;
    print_table(table, row, outcome, {"eutectic"});
    CHECK(table.str().find("0.50") != std::string::npos);
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
    outcome.absent["jax"] = "is not installed";
    const Suite suite{"cpu", {row_named("dense_relu")}};
    const nlohmann::json json = to_json({{"machine", {}}, {"versions", {}}}, suite, {outcome});
    const nlohmann::json &row = json.at("rows").at(0);
    CHECK(row.at("name") == "dense_relu");
    CHECK(row.at("verified") == true);
    CHECK(row.at("plan_seconds") == 0.01);
    CHECK(row.at("seconds") == nlohmann::json({{"eutectic", 1e-3}, {"unfused", 2e-3}}));
    CHECK(row.at("spread").at("eutectic").at("median") == 1.2e-3);
    CHECK(row.at("failed").at("manual") == "was not built");
    CHECK(row.at("absent").at("jax") == "is not installed");
    CHECK(to_json({}, suite, {outcome_of("dense_relu", {})}).at("rows").at(0).at("plan_seconds").is_null());

    std::ostringstream table;
    print_table(table, suite.rows[0], outcome, {"eutectic", "unfused", "manual", "jax"});
    CHECK(table.str().find("2.00 times as fast") != std::string::npos);
    CHECK(table.str().find("manual failed: was not built") != std::string::npos);
    CHECK(table.str().find("jax is not installed") != std::string::npos);
}
