#pragma once

#include <functional>
#include <string>
#include <vector>

#include "Halide.h"

#include "fusion/rules/rule.h"
#include "report/report.h"

namespace eutectic {

/** What is planned, and for what. The pipeline stays as it is: copies of it are scheduled. */
struct Subject {
    const Halide::Pipeline &pipeline;
    const Halide::Target &target;
    const Graph &graph;
    const Machine &machine;
    std::string cpu = {};  ///< for a CPU: by whose model its code is counted, as LLVM calls it
};

/** Another plan, which keeps to the limits. */
using Replan = std::function<Planned(const std::vector<KernelLimit> &limits)>;

/** What compiling taught. */
struct Feedback {
    Planned planned;                      ///< the plan to take
    std::vector<CompiledKernel> kernels;  ///< of that plan; empty where estimates stand
    std::vector<KernelLimit> limits;      ///< that it keeps to
    std::vector<std::string>
        sentences;  ///< what was found and done, with the numbers; or why estimates stand
    int compiles = 0;
};

/** At most so many compiles for one pipeline. */
constexpr int most_compiles = 3;

/** For a CPU: learn_of_code() (cpu/code_feedback.h). Compiles the kernels of `first` for CUDA and assembles
 * them for the device of the machine. A kernel that spills, or of which no SM can hold a block, becomes a
 * limit (fusion/plan/kernel_limits.h) on its like, and `replan` is asked for another plan, until none does,
 * or the plan stays the same, or there is none, or `most_compiles` were made: then the one with the fewest
 * spilled bytes is taken. `replan` may be empty: then `first` is only looked at. */
Feedback learn(const Subject &subject, const Planned &first, const Replan &replan);

/** The limit that `kernel`, compiled, sets on groups of `group`'s members where it was estimated at
 * `estimate` on `gpu`; its sentence says what the compiler found and what the limit is. Nothing to learn: a
 * limit without numbers, and an empty sentence. */
struct Lesson {
    KernelLimit limit;
    std::string sentence;
};
Lesson lesson(const Graph &graph, const Gpu &gpu, const Group &group, const KernelPrice &estimate,
              const CompiledKernel &kernel);

}  // namespace eutectic
