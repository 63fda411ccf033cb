#pragma once

// What running a pipeline for a comparison takes to know of it.

#include <atomic>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "Halide.h"

namespace eutectic {

/** Values that an input may sensibly have, both ends included. */
struct ImpliedRange {
    double low, high;
};

/** What the pipeline implies of its inputs, by name, at the estimates: an integer that indexes something
 * stays within that, or within what it is clamped to; one that is compared with a loop stays within the loop;
 * what goes into a logarithm, a root or the base of a power through pure Funcs alone is positive. Inputs of
 * which nothing follows are left out. */
std::map<std::string, ImpliedRange> implied_ranges(const Halide::Pipeline &pipeline);

/** Of each output Func, (min, extent) of its dimensions at the estimates, innermost first. Throws UserError
 * for an output without estimates. */
std::vector<std::vector<std::pair<int, int>>> output_regions(const Halide::Pipeline &pipeline);

/** Names of the functions that extern stages and calls of the pipeline need from outside of it; those of
 * Halide's runtime do not count. */
std::vector<std::string> extern_functions(const Halide::Pipeline &pipeline);

/** The Func that has all values of the Func called `name` in memory once the scheduled pipeline has run:
 * itself, or the copy that the schedule made of its tiles. Throws UserError when there is no such Func, with
 * the nearest name, or none that has. */
Halide::Func memory_of(const Halide::Pipeline &pipeline, const std::string &name);

/** Once `pipeline` is compiled, `*count` is the number of its loop nests, of which one runs after the other:
 * what is computed at Root, and what was made for that. (Custom lowering pass; `count` outlives the
 * pipeline.) */
void count_loop_nests(Halide::Pipeline &pipeline, int *count);

}  // namespace eutectic
