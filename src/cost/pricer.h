#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cost/model.h"
#include "cost/priced_nest.h"

namespace eutectic {

/** What prices nests of loops in place of this project's own model: `cost_model=`. */
struct Pricer {
    std::string name;                         ///< "roofline", or the file's path
    eutectic_price_nest_function price;       ///< priced_nest.h
    std::shared_ptr<void> library = nullptr;  ///< keeps the file open
};

/** "roofline", "traffic", or the shared library of that path (priced_nest.h). Throws UserError: neither of
 * the names and no file, a file that is no library, lacks a function, or is for another version. */
std::shared_ptr<const Pricer> pricer_named(const std::string &name);

/** The names that need no file: a roofline (S. Williams, A. Waterman and D. Patterson, "Roofline: an
 * insightful visual performance model for multicore architectures", CACM 52(4), 2009), which takes the larger
 * of arithmetic at its peak and memory traffic at its bandwidth; and traffic alone, past every level, as if
 * arithmetic took no time. Neither knows of latencies, gathers, or what starting loops takes. */
const std::vector<std::string> &pricer_names();

/** What a pricing is told of a nest. */
struct NestFeatures {
    std::vector<eutectic_stage> stages;
    double tasks = 0, touched_bytes = 0;
    Cost own;
};

/** Tasks of the parallel loops outside of all others of `stage`; 0 when it runs on the calling thread alone.
 */
double parallel_tasks(const NestedStage &stage);

/** Of stages inside one nest on a CPU, with their own price. `tasks`: of its parallel loops; 0: none. */
NestFeatures nest_features(const std::vector<NestedStage> &stages, const Machine &machine, double tasks,
                           const Cost &own);

/** Of a kernel on a GPU, one stage for all of it. */
NestFeatures kernel_features(const KernelStages &kernel, const KernelPrice &own);

/** The machine as a pricing sees it. */
eutectic_machine priced_machine(const Machine &machine);

/** What the machine's pricing (Machine::experiment), which there is, says. Compiling costs what it does in
 * the own price, and so does what the own model has no price for. Throws UserError when it answers something
 * that is no time. */
Cost priced(const NestFeatures &nest, const Machine &machine);

}  // namespace eutectic
