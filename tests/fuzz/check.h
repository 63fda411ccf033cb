#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tests/fuzz/recipe.h"

namespace eutectic::test {

/** One recipe's verdict: what went wrong first, or nothing. */
struct Outcome {
    std::string failure;   ///< empty: all is well
    std::string schedule;  ///< the one that failed, as C++
    bool exact = false;    ///< the greedy plan was exact: its values were compared bit for bit
    int together = 0;      ///< plans in which one nest writes several Funcs
};

/** Schedules the recipe greedily and with a beam, and compares both with the serial program at the planned
 * size and at odd ones. Integers and strict floats must agree bit for bit, so must fast ones where the plan's
 * grade is exact; others within 1e-4 of the largest value. `tell` is told of each plan before it is compiled,
 * as what has failed if nothing more is heard. */
Outcome check_recipe(const Recipe &recipe, const std::function<void(const Outcome &)> &tell = {});

/** The smallest recipe, in operations, then outputs, that still fails. */
Recipe shrink(Recipe failing);

}  // namespace eutectic::test
