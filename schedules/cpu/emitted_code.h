#pragma once

#include <string>
#include <vector>

#include "Halide.h"

#include "schedules/cpu/read_code.h"

namespace eutectic {

/** A region of the code, and how often it runs at the estimates. */
struct EmittedRegion {
    CodeRegion code;
    std::string nest;   ///< the Func at Root in whose production it is; empty: what is around all of them
    double turns = -1;  ///< of a run of the pipeline, of all threads together; -1: not known
    double calls = 1;   ///< of its function, the same; those of a parallel loop's body are its tasks
};

/** Cycles of a region by the model, of all threads together; -1 where there is no number. */
double model_cycles(const EmittedRegion &region);

/** The same from the first task's begin to the last one's end: tasks are spread over `threads`. */
double elapsed_cycles(const EmittedRegion &region, int threads);

/** The machine code of a scheduled pipeline. */
struct EmittedCode {
    ReadCode read;  ///< without its regions, which are here
    std::vector<EmittedRegion> regions;
};

/** Compiles `scheduled` for a CPU without Halide's runtime and has the code read back, in a folder that goes
 * afterwards. `arguments`: in the order of the function. Halide's errors pass through. */
EmittedCode emitted_code(const CodeReader &reader, Halide::Pipeline scheduled,
                         const std::vector<Halide::Argument> &arguments, const Halide::Target &target,
                         const std::string &cpu);

/** The processor, as LLVM calls it, that plans for `target` are made for: `processor`, a file of
 * src/machine/processors, or, where that is empty, the first of them; the same on every build host. */
std::string planned_cpu(const Halide::Target &target, const std::string &processor = "");

/** As LLVM calls architecture and system: "x86_64-linux-gnu". Empty for an architecture of which no code is
 * read. */
std::string llvm_triple(const Halide::Target &target);

/** The processor, as LLVM calls it, by whose model code for `target` is counted where nobody says: "host" if
 * this machine runs it, or else the first of the processors that plans for the target are made for. */
std::string default_cpu(const Halide::Target &target);

}  // namespace eutectic
