#pragma once

#include <functional>
#include <string>
#include <vector>

#include "Halide.h"

#include "tests/schedules/jit_run.h"

namespace eutectic::test {

/** Schedules `make()` with Eutectic, runs it and a serial copy, all in memory, on the same random inputs at
 * each of `sizes`, and checks (with doctest) that the values agree: integers exactly, floats within 1e-4 of
 * the largest. Each is compiled once. `make_reference`: the same pipeline without directives, where those of
 * make() keep it from being all in memory. `processor`: what is planned for, of those with AVX-512; empty:
 * all of them. Returns the schedule as C++. */
std::string check_same_values(const std::function<Program()> &make, const std::vector<Sizes> &sizes,
                              int parallelism = 4, const std::function<Program()> &make_reference = {},
                              const std::string &processor = "");

}  // namespace eutectic::test
