#include "apps/bench/before.h"
#include "apps/bench/results.h"
#include "tests/apps/outcomes.h"

#include <doctest/doctest.h>

#include <cmath>
#include <sstream>

#include <nlohmann/json.hpp>

using namespace eutectic;
using namespace eutectic::bench;
using namespace eutectic::test;

TEST_CASE("how many of a program's processes have to be faster before that is more than chance") {
    CHECK(telling_process(1, 1) == 0);  // there is no other
    CHECK(telling_process(3, 3) == 2);  // all three first: one of 20 orders
    CHECK(telling_process(5, 5) == 3);  // the first three: 1 of 12; the first four: 1 of 42
    CHECK(telling_process(10, 10) == 3);
    CHECK(telling_process(2, 30) == 1);
    CHECK(telling_process(1, 30) == 0);
}

TEST_CASE("eutectic is slower than before where it is by 3 % and by more than before's processes differ") {
    const auto outcome = [](const char *row, double eutectic, const std::vector<double> &before) {
        Outcome result = outcome_of(row, {{"eutectic", eutectic}, {"before", before.at(0)}});
        result.processes["before"] = before;
        return result;
    };
    std::vector<Outcome> outcomes = {
        outcome("faster", 0.5, {1, 1, 1}),       outcome("slower", 1.05, {1, 1.04, 1.02}),
        outcome("slightly", 1.02, {1, 1, 1}),    outcome("unsteady", 1.05, {1, 1, 1.06}),
        outcome("twice", 2, {1, 1.5, 1.2}),      outcome_of("broken", {{"before", 1}}),
        outcome_of("without", {{"eutectic", 1}})};
    outcomes[5].failed["eutectic"] = "compiling failed";
    const std::optional<BeforeSummary> found = summarize_before(outcomes);
    REQUIRE(found);
    std::vector<std::string> slower;
    for (const BesideBefore &row : found->rows) {
        if (row.slower()) {
            slower.push_back(row.row);
        }
    }
    CHECK(slower == std::vector<std::string>{"slower", "twice"});
    CHECK(found->rows.at(0).ratio == doctest::Approx(2));
    CHECK(found->rows.at(1).spread == doctest::Approx(0.04));
    CHECK(found->ratio == doctest::Approx(std::pow(2 / 1.05 / 1.02 / 1.05 / 2, 0.2)));
    CHECK(found->not_compared == std::vector<std::string>{"broken"});
    std::ostringstream text;
    print_before(text, *found);
    CHECK(text.str().find("slower by more than 3 % and than the spread: slower, twice\n") !=
          std::string::npos);
    CHECK(text.str().find("geometric mean over 5 rows: 0.977\n") != std::string::npos);
    CHECK(text.str().find("failed: broken\n") != std::string::npos);

    Suite suite{"cpu", {}};
    for (const Outcome &o : outcomes) {
        suite.rows.push_back(row_named(o.row));
    }
    const nlohmann::json json = to_json({}, suite, outcomes);
    CHECK(json.at("rows").at(1).at("seconds").at("before") == 1);
    CHECK(json.at("before").at("rows").at(1).at("slower") == true);
    CHECK(json.at("before").at("not_compared") == std::vector<std::string>{"broken"});
    CHECK_FALSE(summarize_before({outcomes.back()}));
    CHECK(!to_json({}, suite, {outcomes.back()}).contains("before"));
    CHECK(to_json(*summarize_before({outcomes[5]})).at("ratio").is_null());
}
