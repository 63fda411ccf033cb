#pragma once

// What calls have in common that are made where everything is predicted to be faster with them: products by a
// library, convolutions by Winograd's algorithm.

#include <functional>
#include <string>

#include "Halide.h"

#include "schedules/autoschedule.h"

namespace eutectic {

/** May such a call change the definition, a sum with one update: is nothing said of where or how it is
 * computed? */
bool may_change_sum(const FuncInfo &info);

/** What everything is predicted to take after `call`, made on a copy of `pipeline`, of which `graph` was
 * read. */
Seconds seconds_after(const std::function<void(const Halide::Pipeline &)> &call,
                      const Halide::Pipeline &pipeline, const Graph &graph, const Halide::Target &target,
                      const Machine &machine, const Parameters &parameters);

/** "a predicted 2.0 ms instead of 3.0 ms" */
std::string instead(Seconds a, Seconds b);

}  // namespace eutectic
