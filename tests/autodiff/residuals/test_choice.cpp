// The choice on plain data: against brute force, under budgets, in segments.

#include "random_graph.h"

#include "autodiff/residuals/choice/budget.h"
#include "autodiff/residuals/choice/cut.h"
#include "autodiff/residuals/choice/exact.h"

#include "base/user_error.h"
#include "tests/support/rounds.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace eutectic;
using namespace eutectic::test;

namespace {

std::string refusal(const ResidualGraph &graph, Bytes budget) {
    try {
        choose(graph, ResidualPolicy::cost, budget);
    } catch (const UserError &error) {
        return error.what();
    }
    return "";
}

ResidualGraph without_rewrites(ResidualGraph graph) {
    for (ResidualValue &value : graph.values) {
        while (!value.recipes.empty() && value.recipes.back().rewritten) {
            value.recipes.pop_back();
        }
    }
    return graph;
}

// A graph where something that may not be kept can only be made in a circle has no choice at all.
bool has_choice(const ResidualGraph &graph) {
    return by_brute_force(graph, 1 << 20, true).has_value();
}

}  // namespace

TEST_CASE("the cut is the cheapest choice at every price") {
    for (unsigned seed = 0; seed < rounds(30); seed++) {
        const ResidualGraph graph = without_rewrites(random_graph(seed, 7, false));
        for (const double price : {0.0, 1e-8, 1e-7, 1e-6, 1e-5}) {
            CAPTURE(seed);
            CAPTURE(price);
            const ResidualChoice cut = cheapest_at(graph, {price, 1});
            ResidualGraph priced = graph;  // the same with the bytes' price in the seconds
            for (ResidualValue &value : priced.values) {
                value.keep_seconds += price * static_cast<double>(value.bytes);
            }
            ResidualChoice same = cut;
            REQUIRE(evaluate(priced, same));
            CHECK(same.seconds == doctest::Approx(*by_brute_force(priced, 1 << 20, false)).epsilon(1e-9));
        }
    }
}

TEST_CASE("under a budget of bytes the choice on a small graph is that of brute force") {
    int compared = 0;
    for (unsigned seed = 0; seed < rounds(25); seed++) {
        const ResidualGraph graph = random_graph(seed, 7, false);
        if (!has_choice(graph)) {
            continue;
        }
        for (Bytes budget = 0; budget < 200; budget += 11) {
            CAPTURE(seed);
            CAPTURE(budget);
            const auto expected = by_brute_force(graph, budget, false);
            if (!expected) {
                CHECK(refusal(graph, budget) != "");
                continue;
            }
            const ResidualChoice choice = choose(graph, ResidualPolicy::cost, budget);
            CHECK(choice.bytes <= budget);
            CHECK(choice.seconds == doctest::Approx(*expected).epsilon(1e-12));
            compared++;
        }
    }
    CHECK(compared > rounds(200));
}

TEST_CASE("the search knows temporaries too") {
    for (unsigned seed = 100; seed < 100u + rounds(30); seed++) {
        const ResidualGraph graph = random_graph(seed, 7, true);
        if (!has_choice(graph)) {
            continue;
        }
        std::vector<ResidualChoice> found;
        search_all(graph, found);
        for (Bytes budget = 0; budget < 250; budget += 9) {
            std::optional<Seconds> least;
            for (const ResidualChoice &choice : found) {
                if (choice.peak() <= budget) {
                    least = std::min(least.value_or(choice.seconds), choice.seconds);
                }
            }
            const auto expected = by_brute_force(graph, budget, true);
            CAPTURE(seed);
            CAPTURE(budget);
            REQUIRE(least.has_value() == expected.has_value());
            CHECK((!least || *least == doctest::Approx(*expected).epsilon(1e-12)));
        }
    }
}

TEST_CASE("neither residual bytes nor the peak grow when the budget shrinks") {
    constexpr unsigned past_last = 200 + (sanitized ? 2 : 10);  // one of each kind at least
    for (unsigned seed = 200; seed < past_last; seed++) {
        const int count = seed % 2 ? 12 : 40;  // searched, and beyond the search
        const ResidualGraph graph = without_rewrites(random_graph(seed, count, true));
        Bytes bytes = 1 << 20, peak = 1 << 20;
        CAPTURE(seed);
        const Bytes least = choices_of(graph).back().peak();
        for (Bytes budget = 1500; budget >= least; budget -= budget / 12 + 1) {
            const ResidualChoice choice = choose(graph, ResidualPolicy::cost, budget);
            CHECK(choice.peak() <= budget);
            CHECK(choice.bytes <= bytes);
            CHECK(choice.peak() <= peak);
            bytes = choice.bytes;
            peak = choice.peak();
        }
        CHECK(refusal(graph, least - 1)
                  .find(" less than the least possible, " + format_count(least) + " bytes: ") !=
              std::string::npos);
    }
}

TEST_CASE("a budget below the least possible, without estimates or with an extreme") {
    ResidualGraph graph = chain(4, 1000, 1e-3);
    graph.values[0].recipes.clear();
    CHECK(refusal(graph, 2999) == "A budget of 2,999 bytes is less than the least possible, 5,000 bytes: "
                                  "2,000 bytes of residuals and 3,000 bytes of "
                                  "temporaries; give at least that.");
    CHECK_THROWS_WITH_AS(choose(graph, ResidualPolicy::save_all, 10),
                         "A budget was given with residuals_policy=save-all, which has nothing to choose; "
                         "leave one of the two out.",
                         UserError);
    graph.without_estimate = "input \"x\"";
    CHECK(refusal(graph, 99999) == "A budget of 99,999 bytes was given, but input \"x\" has no estimate, so "
                                   "that no size is known; set estimates on "
                                   "every input and output, or leave the budget out.");
}

TEST_CASE("the extremes") {
    const ResidualGraph graph = chain(9, 100, 1e-3);
    CHECK(choose(graph, ResidualPolicy::save_all, {}).bytes == 900);
    CHECK(choose(graph, ResidualPolicy::recompute_all, {}).bytes == 0);
    CHECK(choose(graph, ResidualPolicy::cost, {}).bytes == 900);  // keeping is the cheaper way
}

TEST_CASE("a chain is kept in segments: O(sqrt n) bytes at one more forward") {
    for (const int layers : {16, 64, 256, 1024}) {
        CAPTURE(layers);
        const ResidualGraph graph = chain(layers, 1000, 1e-3);
        const ResidualChoice all = choose(graph, ResidualPolicy::save_all, {});
        const auto budget = static_cast<Bytes>(1000 * (2 * std::sqrt(layers) + 4));
        const ResidualChoice choice = choose(graph, ResidualPolicy::cost, budget);
        CHECK(choice.peak() <= budget);
        CHECK(all.bytes == 1000 * layers);
        CHECK(choice.seconds <= all.seconds + 1e-3 * layers);
    }
}

TEST_CASE("what is made in a circle is no choice") {
    ResidualGraph graph = chain(2, 8, 1e-3);
    graph.values[0].recipes = {{true, {1}, 1e-6, 0, 0, 1, "back"}};
    ResidualChoice circle;
    circle.way = {1, 1};
    CHECK_FALSE(evaluate(graph, circle));
    ResidualChoice good;
    good.way = {1, ResidualChoice::kept};
    CHECK(evaluate(graph, good));
    CHECK(good.bytes == 8);
    // The cut by itself would take the circle.
    const ResidualChoice cheapest = cheapest_at(graph, {1, 1});
    CHECK(cheapest.way == good.way);
}
