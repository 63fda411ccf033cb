#pragma once

#include <functional>
#include <string>
#include <vector>

#include "Halide.h"

namespace eutectic::test {

/** A pipeline and what it is given. Made anew for every schedule, since scheduling changes Funcs. */
struct Program {
    std::vector<Halide::ImageParam> inputs;
    std::vector<Halide::Func> outputs;
    std::map<std::string, Halide::JITExtern> externs;
};

struct Sizes {
    std::vector<std::vector<int>> inputs;   ///< extents of each input
    std::vector<std::vector<int>> outputs;  ///< extents of each output
    std::vector<int> mins = {};             ///< of every output's dimensions; empty: 0
};

/** Schedules `make()` with Eutectic, runs it and a serial copy, all in memory, on the same random inputs at each of `sizes`, and checks (with doctest)
 *  that the values agree: integers exactly, floats within 1e-4 of the largest. Each is compiled once. `make_reference`: the
 *  same pipeline without directives, where those of make() keep it from being all in memory. Returns the schedule as C++. */
std::string check_same_values(const std::function<Program()> &make, const std::vector<Sizes> &sizes, int parallelism = 4,
                              const std::function<Program()> &make_reference = {});

}  // namespace eutectic::test
