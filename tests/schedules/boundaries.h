#pragma once

// What the tests of Funcs that a plan may not touch share: a pipeline with one of them, and what is said of
// it.

#include <functional>
#include <string>
#include <vector>

#include "Halide.h"

#include "tests/schedules/jit_check.h"

namespace eutectic::test {

/** Where `name` lives in the plan, and why, as the report says it. */
std::string verdict(const std::vector<Halide::Func> &outputs, const std::string &name);

/** in → before → middle → after → out, of which the test decides on `middle`. */
Program chain(const std::function<void(Halide::Func middle, Halide::Func out)> &schedule,
              const std::vector<int> &extents = {200, 60});

/** Sizes that a chain runs at. */
extern const std::vector<Sizes> chain_sizes;

/** The schedule of a chain whose values are those of one that nobody scheduled. */
std::string check_chain(const std::function<Program()> &make);

/** The directives that the printed schedule gives to `name`. */
std::vector<std::string> directives(const std::string &source, const std::string &name);

}  // namespace eutectic::test
