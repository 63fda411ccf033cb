#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "schedules/hlpipe/load.h"

namespace eutectic::test {

/** What Halide's tracing saw of one buffer in a run: a Func's, made or not, or an input's. */
struct Counted {
    int realizations = 0;
    int64_t realized_bytes = 0;                ///< by the extents of its realization
    int64_t stored_bytes = 0;                  ///< by all stores together
    int64_t stored_once_bytes = 0;             ///< each element once
    std::map<int, int64_t> loaded_once_bytes;  ///< each element once, by group
};

/** Runs the scheduled pipeline once on one thread, with inputs as `eutectic compare` gives them, and counts
 * by name what happens to the Funcs that `groups` has, each with the number of its group; with `loads`, also
 * what is read of anything while a group is computed. Call it before anything else in the process runs a
 * kernel: the number of threads is read then. */
std::map<std::string, Counted> counted_run(LoadedPipeline &loaded, const Halide::Target &target,
                                           const std::map<std::string, int> &groups, bool loads);

/** Names of all Funcs that a scheduled pipeline computes at Root. */
std::set<std::string> funcs_in_memory(const Halide::Pipeline &pipeline);

}  // namespace eutectic::test
