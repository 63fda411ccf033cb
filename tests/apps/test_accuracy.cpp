// The statistics of an accuracy study: ranks, the choice of plans, what is said of each generator.

#include <doctest/doctest.h>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <set>

#include "apps/accuracy/statistics.h"
#include "apps/accuracy/study.h"
#include "base/user_error.h"

using namespace eutectic;
using namespace eutectic::accuracy;
using nlohmann::ordered_json;

TEST_CASE("Spearman's correlation: order alone counts, and ties share a rank") {
    CHECK(spearman({1, 2, 3, 4}, {1, 10, 100, 1000}) == doctest::Approx(1));
    CHECK(spearman({1, 2, 3, 4}, {9, 8, 7, -6}) == doctest::Approx(-1));
    CHECK(spearman({1, 2, 3, 4, 5}, {2, 1, 4, 3, 5}) == doctest::Approx(0.8));
    // Ranks 0, 1.5, 1.5, 3 against 0, 1, 2, 3.
    CHECK(spearman({1, 2, 2, 3}, {1, 2, 3, 4}) == doctest::Approx(4.5 / std::sqrt(4.5 * 5)));
    CHECK(std::isnan(spearman({1, 2}, {1, 2})));
    CHECK(std::isnan(spearman({1, 1, 1}, {1, 2, 3})));
}

TEST_CASE("the median leaves out what is no number") {
    CHECK(median({3, 1, 2}) == 2);
    CHECK(median({4, 1, 2, 3}) == 2.5);
    CHECK(median({NAN, 5, NAN}) == 5);
    CHECK(std::isnan(median({NAN})));
}

TEST_CASE("plans are taken once each, the chosen one always, most of them near the fastest prediction") {
    std::vector<double> predicted = {2.0};
    for (int i = 0; i < 200; i++) {
        predicted.push_back(1.0 + 0.1 * i);  // up to 20.9; 3 or less are near
    }
    const std::vector<size_t> taken = select_plans(predicted, 40);
    CHECK(taken.size() == 40);
    CHECK(taken.front() == 0);
    CHECK(std::set<size_t>(taken.begin(), taken.end()).size() == 40);
    int near = 0;
    for (const size_t i : taken) {
        near += predicted[i] <= 3 ? 1 : 0;
    }
    CHECK(near >= 20);
    CHECK(near < 40);
    // Too few of one kind: the other fills up; too few at all: everything.
    CHECK(select_plans({1, 1.1, 1.2, 1.3, 50}, 4).size() == 4);
    CHECK(select_plans({1, 10, 20, 30, 40, 50}, 4).size() == 4);
    CHECK(select_plans({1, 2, 30}, 40).size() == 3);
    CHECK(select_plans({5}, 40) == std::vector<size_t>{0});
    CHECK(select_plans({}, 40).empty());
}

TEST_CASE("the near half is decided by measured times, and only reported generators count in the medians") {
    const auto plan = [](const char *name, double predicted, double seconds) {
        return ordered_json{{"plan", name}, {"predicted", predicted}, {"seconds", seconds}};
    };
    ordered_json failed = {{"plan", "7"}, {"predicted", 0.1}, {"failed", "compiling failed"}};
    ordered_json subjects = {
        {{"use", "report"},
         {"plans", {plan("chosen", 1, 1.2), plan("1", 2, 1.0), plan("2", 3, 2.5), plan("3", 4, 9), failed}}},
        {{"use", "fit"}, {"plans", {plan("chosen", 1, 9), plan("1", 2, 8), plan("2", 3, 7)}}}};
    const ordered_json summary = summarize(subjects);
    CHECK(subjects[0].at("timed") == 4);
    CHECK(subjects[0].at("near") == 3);
    CHECK(subjects[0].at("correlation").get<double>() == doctest::Approx(0.8));
    CHECK(subjects[0].at("near_correlation").get<double>() == doctest::Approx(0.5));
    CHECK(subjects[0].at("chosen_over_best").get<double>() == doctest::Approx(1.2));
    CHECK(subjects[1].at("correlation").get<double>() == doctest::Approx(-1));
    CHECK(summary.at("generators") == 1);
    CHECK(summary.at("correlation").get<double>() == doctest::Approx(0.8));
    CHECK(summary.at("chosen_over_best_worst").get<double>() == doctest::Approx(1.2));
}

TEST_CASE("the generators of a study: those that constants are fitted to are not reported") {
    const std::vector<Subject> subjects = read_subjects(ACCURACY_ROWS);
    std::set<std::string> fitted, reported, names;
    for (const Subject &s : subjects) {
        (s.fit ? fitted : reported).insert(s.row.kernels.at(0).generator);
        names.insert(s.row.name);
    }
    CHECK(names.size() == subjects.size());
    CHECK(reported.size() >= 12);
    CHECK(!fitted.empty());
    for (const std::string &g : fitted) {
        CHECK(reported.count(g) == 0);
    }
    CHECK_THROWS_WITH_AS(
        read_subjects("none.json"),
        "The list of generators none.json is not a JSON object with rows: give --rows the path of one.",
        UserError);
}
