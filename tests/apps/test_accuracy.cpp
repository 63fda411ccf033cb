// The statistics of an accuracy study: ranks, the choice of plans, what is said of each generator; its file.

#include <doctest/doctest.h>

#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>

#include <nlohmann/json.hpp>

#include "apps/accuracy/statistics.h"
#include "apps/accuracy/study.h"
#include "apps/accuracy/study_file.h"
#include "base/user_error.h"

using namespace eutectic;
using namespace eutectic::accuracy;
using nlohmann::ordered_json;
namespace fs = std::filesystem;

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

TEST_CASE("a study is read back from its file, packed or not, and what is no such file is empty or cut off") {
    const fs::path folder = fs::temp_directory_path() / ("test_accuracy." + std::to_string(::getpid()));
    fs::create_directories(folder);
    const auto plan = [](int number) {
        return ordered_json{{"plan", std::to_string(number)}, {"stages", {{{"loops", {1, 2}}}}}};
    };
    ordered_json study = {{"threads", 2}, {"generators", {{{"name", "dense"}, {"plans", {plan(1)}}}}}};
    for (int number = 2; number < 50; number++) {
        study["generators"][0]["plans"].push_back(plan(number));
    }
    const std::string plain = folder / "study.json", packed = folder / "study.json.gz";
    write_study(plain, study);
    write_study(packed, study);
    const std::string text = read_study(plain);
    CHECK(ordered_json::parse(text) == study);
    CHECK(read_study(packed) == text);
    CHECK(text.find("\n    {\"plan\":\"7\",\"stages\":[{\"loops\":[1,2]}]},\n") != std::string::npos);
    CHECK(fs::file_size(packed) < fs::file_size(plain) / 4);
    fs::resize_file(packed, fs::file_size(packed) / 2);
    CHECK(read_study(packed).size() < text.size());
    CHECK(read_study(folder / "none.json").empty());
    CHECK_THROWS_AS(write_study(folder / "none" / "study.json", study), UserError);
    fs::remove_all(folder);
}

TEST_CASE("the measurements of the repository can be read, with what each plan was priced by") {
    const fs::path root = fs::path(ACCURACY_ROWS).parent_path().parent_path().parent_path();
    const ordered_json study =
        ordered_json::parse(read_study(root / "docs" / "accuracy" / "measurements.json.gz"));
    size_t plans = 0;
    for (const ordered_json &generator : study.at("generators")) {
        CHECK(generator.at("use") == "fit");
        for (const ordered_json &plan : generator.at("plans")) {
            plans += plan.contains("stages") && plan.contains("seconds") ? 1 : 0;
        }
    }
    CHECK(plans >= 100);
}
