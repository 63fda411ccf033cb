// Random compositions of operations against central differences. From seed 1, 15 of them; 300 with
// EUTECTIC_ALL_CASES set.

#include "batch_check.h"
#include "composition.h"
#include "tangent_check.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "tests/support/all_cases.h"

using namespace eutectic::test;

TEST_CASE("random compositions have the gradients of central differences") {
    const unsigned seeds = all_cases() ? 300 : 6;
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

TEST_CASE("random compositions have tangents, second derivatives, and batches of them") {
    const unsigned seeds = all_cases() ? 300 : 6;
    for (unsigned seed = 1; seed <= seeds; seed++) {
        const Composition composition = random_composition(seed);
        const auto subject = [&] { return random_composition(seed).subject; };
        CAPTURE(seed);
        CAPTURE(composition.text);
        TangentErrors tangents{INFINITY, INFINITY, INFINITY};
        double second = INFINITY, batch = INFINITY;
        std::string problem;
        try {
            tangents = tangent_errors(subject, composition.shapes, seed, 0, 4);
            second = hvp_error(subject, composition.shapes, seed, 0, 4);
            batch = error_of_batch(subject, composition.shapes, {"x"}, 0, 4);
        } catch (const std::exception &e) {
            problem = e.what();
        }
        CHECK_MESSAGE(tangents.values <= 1e-13, problem);
        CHECK_MESSAGE(tangents.identity <= 1e-11, problem);
        CHECK_MESSAGE(tangents.differences <= gradient_tolerance, problem);
        CHECK_MESSAGE(second <= gradient_tolerance, problem);
        CHECK_MESSAGE(batch <= 1e-13, problem);
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
