// Random compositions of operations against central differences. From seed 1, 15 of them; 300 with
// EUTECTIC_ALL_CASES set.

#include "composition.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "tests/support/all_cases.h"

using namespace eutectic::test;

TEST_CASE("random compositions have the gradients of central differences") {
    const unsigned seeds = all_cases() ? 300 : 15;
    for (unsigned seed = 1; seed <= seeds; seed++) {
        const Composition composition = random_composition(seed);
        CAPTURE(seed);
        CAPTURE(composition.text);
        double error = INFINITY;
        std::string problem;
        try {
            error = gradient_error(composition.subject, composition.shapes, seed, 0, 4);
        } catch (const std::exception &e) {
            problem = e.what();
        }
        CHECK_MESSAGE(error <= gradient_tolerance, problem);
    }
}

TEST_CASE("every operation is in one of the first 300 compositions, and a composition is its seed's") {
    std::string all;
    for (unsigned seed = 1; seed <= 300; seed++) {
        all += random_composition(seed).text + " ";
    }
    for (const std::string &name : operation_names()) {
        CAPTURE(name);
        CHECK(all.find(" " + name + " ") != std::string::npos);
    }
    CHECK(random_composition(17).text == random_composition(17).text);
    CHECK(random_composition(17).text != random_composition(18).text);
}
