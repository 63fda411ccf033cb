#pragma once

#include <optional>
#include <string>
#include <vector>

#include "Halide.h"

#include "schedules/autoschedule.h"

namespace eutectic {

/** Throws UserError where the parameters ask for a library's products and the target rules them out. */
void check_library(const Halide::Target &target, const Parameters &parameters);

/** `machine` with the rates of the library that may compute products, if there is one. */
Machine with_library(Machine machine, const Parameters &parameters);

/** What everything is predicted to take where a library computes the products that it is best at; nothing
 * where none may, or there are none. */
std::optional<Seconds> seconds_with_library(const Halide::Pipeline &pipeline, const Halide::Target &target,
                                            const Machine &machine, const Parameters &parameters,
                                            const Graph &graph);

/** Has `machine.library`, if there is one, compute those products of `pipeline`, on blocks or as a whole,
 * with which everything is predicted to be faster. Each is tried on a copy, the largest first. `graph`, which
 * was read from the pipeline, is then read anew, and has the choices; `prepared` has the call, and `changed`
 * a sentence with both times for each product, taken or not. */
void choose_library_products(const Halide::Pipeline &pipeline, const Halide::Target &target,
                             const Machine &machine, const Parameters &parameters, Graph &graph,
                             std::vector<Prepared> &prepared, std::vector<std::string> &changed);

}  // namespace eutectic
