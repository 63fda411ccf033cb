// Nests of gradients: what the report says that they load and store is each tensor once.

#include "small_generators.h"

#include <doctest/doctest.h>

#include <algorithm>

#include <nlohmann/json.hpp>

#include "Halide.h"

#include "schedules/autoschedule.h"

using namespace Halide;
using namespace eutectic;
using namespace eutectic::test;

TEST_CASE("a loss and its gradient: one nest goes over the rows, which come from memory once") {
    for (const char *features : {"avx2-fma", "avx2-avx512-avx512_skylake-fma"}) {
        for (const int rows : {128, 1024}) {
            CAPTURE(features);
            CAPTURE(rows);
            const Target target(std::string("x86-64-linux-") + features);
            LoadedPipeline loaded =
                load("softmax_xent_gradient", {{"rows", std::to_string(rows)}, {"cols", "1000"}}, target);
            Parameters how;
            how.parallelism = 2;
            const nlohmann::ordered_json report =
                to_json(schedule(loaded.pipeline, target, how, false).report());
            const int64_t logits = int64_t{4} * rows * 1000;
            int nests = 0;
            for (const auto &group : report.at("groups")) {
                const auto loads = group.at("loads_bytes").get<int64_t>();
                nests += loads >= logits ? 1 : 0;
                CHECK(loads <
                      logits +
                          logits /
                              16);  // labels, the logit that each names, and a loss for each row, besides
            }
            CHECK(nests == 1);
            CHECK(report.at("nests").at(0).at("func") == "row_loss");
            CHECK(report.at("nests").at(0).at("decision") == "one nest");
        }
    }
}

TEST_CASE("a mask and a bias's gradient: the upstream is read once, and what was masked not again") {
    const Target target("x86-64-linux-avx2-avx512-avx512_skylake-fma");
    const int64_t rows = 4096, columns = 256, bytes = 4 * rows * columns;
    LoadedPipeline loaded = load(
        "dense_gradient", {{"m", std::to_string(rows)}, {"k", "64"}, {"n", std::to_string(columns)}}, target);
    Parameters how;
    how.parallelism = 2;
    const nlohmann::ordered_json report = to_json(schedule(loaded.pipeline, target, how, false).report());
    int nests = 0;
    for (const auto &group : report.at("groups")) {
        if (group.at("policy") == "rows_and_sums") {
            nests++;
            CHECK(group.at("members") == nlohmann::ordered_json({"d_z", "d_b_sum"}));
            CHECK(group.at("loads_bytes").get<int64_t>() == 2 * bytes);  // the upstream, and y for its sign
        }
    }
    CHECK(nests == 1);
    for (const auto &edge : report.at("edges")) {
        if (edge.at("producer") == "d_z" && edge.at("consumer") == "d_b_sum") {
            CHECK(edge.at("unfused_bytes").get<int64_t>() - edge.at("fused_bytes").get<int64_t>() == bytes);
            CHECK(edge.at("recomputed_operations").get<double>() >= static_cast<double>(rows * columns));
        }
    }
}

TEST_CASE("an activation with dropout and its mask: what both are computed from is read once") {
    const Target target("x86-64-linux-avx2-avx512-avx512_skylake-fma");
    const int64_t rows = 2048, columns = 1000, bytes = 4 * rows * columns;
    LoadedPipeline loaded = load("dense_dropout_forward",
                                 {{"m", std::to_string(rows)},
                                  {"k", "512"},
                                  {"n", std::to_string(columns)},
                                  {"residuals_policy", "save-all"}},
                                 target);
    Parameters how;
    how.parallelism = 2;
    const nlohmann::ordered_json report = to_json(schedule(loaded.pipeline, target, how, false).report());
    int nests = 0;
    for (const auto &group : report.at("groups")) {
        const std::vector<std::string> members = group.at("members");
        if (std::count(members.begin(), members.end(), "y") > 0) {
            nests++;
            CHECK(std::count(members.begin(), members.end(), "residual_mask") == 1);
            CHECK(group.at("loads_bytes").get<int64_t>() == bytes);
            CHECK(group.at("stores_bytes").get<int64_t>() == bytes + bytes / 32);
        }
    }
    CHECK(nests == 1);
}
