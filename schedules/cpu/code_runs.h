#pragma once

// How often the loops of a lowered module run, at the estimates of sizes.

#include <map>
#include <string>
#include <vector>

#include "Halide.h"

#include "schedules/cpu/evaluate.h"

namespace eutectic {

/** One loop of a module, as Halide's code generator numbers them: from 1, in the order of the module's
 * functions. Loops that run in parallel are functions of their own (FunctionRuns), and no loops. */
struct LoopRuns {
    std::string name;      ///< "matmul.s1.r$x.rebased"
    std::string function;  ///< its symbol
    std::string nest;      ///< the Func at Root in whose production it is; empty: none
    double turns = 0;      ///< of a run of the pipeline, of all threads together; -1: not known
};

/** One function of a module: the pipeline itself, or the body of a parallel loop. */
struct FunctionRuns {
    std::string name;
    std::string nest;
    double calls = 0;  ///< as LoopRuns::turns
};

struct CodeRuns {
    std::vector<LoopRuns> loops;          ///< loop n is loops[n - 1]
    std::vector<FunctionRuns> functions;  ///< in the module's order
};

/** Goes through the function `name` of `module` once with what is known of its arguments. Of a loop's turns
 * the one in the middle stands for all; where a condition is not known, both of its branches run. */
CodeRuns code_runs(const Halide::Module &module, const std::string &name, const KnownValues &arguments);

/** What the estimates of `pipeline` tell of its arguments: sizes of buffers, which are dense, and scalars. */
KnownValues estimated_arguments(const Halide::Pipeline &pipeline);

}  // namespace eutectic
