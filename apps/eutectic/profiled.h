#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "Halide.h"

#include "apps/eutectic/guard.h"
#include "schedules/hlpipe/load.h"

namespace eutectic {

/** What Halide's profiler saw of one Func, a run. */
struct ProfiledFunc {
    std::string name;
    double seconds = 0;
    int64_t allocated_bytes = 0;  ///< on the heap, all allocations of a run together
    int64_t peak_bytes = 0;       ///< at a time
};

struct ProfiledRun {
    int runs = 0, samples = 0;
    double seconds = 0;      ///< of a run
    int64_t peak_bytes = 0;  ///< of all Funcs together
    std::vector<ProfiledFunc> funcs;
};

/** Compiles the scheduled pipeline with Halide's profiler, links it with the system's compiler, and runs it
 * for about `seconds`, with inputs of their estimated sizes (`sources`: texts of --input by name) and
 * temporaries of the heap or of an arena. Throws
 * UserError for an input without an estimate, and where there is no compiler to link with. */
ProfiledRun run_profiled(LoadedPipeline &loaded, const Halide::Target &target,
                         const std::map<std::string, std::string> &sources, int threads, bool arena,
                         double seconds, const ScratchFolder &folder);

}  // namespace eutectic
