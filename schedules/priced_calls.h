#pragma once

// What calls have in common that are made where everything is predicted to be faster with them: products by a
// library, convolutions by Winograd's algorithm.

#include <functional>
#include <future>
#include <string>

#include "Halide.h"

#include "schedules/autoschedule.h"

namespace eutectic {

/** May such a call change the definition, a sum with one update: is nothing said of where or how it is
 * computed? */
bool may_change_sum(const FuncInfo &info);

/** A copy of a pipeline after a call, as a graph, and the plan of it. */
struct PlanAfter {
    Graph graph;
    Planned planned;

    /** What everything is predicted to take. */
    Seconds seconds() const {
        return planned.plan.cost().total();
    }
};

/** The plan after `call`, made on a copy of `pipeline`, of which `graph` was read. The call is made at once,
 * while the plan is searched for on a thread of its own, so that several are compared as fast as one; until
 * then `machine` and `parameters` have to be there. */
std::future<PlanAfter> plan_after(const std::function<void(const Halide::Pipeline &)> &call,
                                  const Halide::Pipeline &pipeline, const Graph &graph,
                                  const Halide::Target &target, const Machine &machine,
                                  const Parameters &parameters);

/** What everything is predicted to take by that. */
Seconds seconds_after(const std::function<void(const Halide::Pipeline &)> &call,
                      const Halide::Pipeline &pipeline, const Graph &graph, const Halide::Target &target,
                      const Machine &machine, const Parameters &parameters);

/** "a predicted 2.0 ms instead of 3.0 ms" */
std::string instead(Seconds a, Seconds b);

}  // namespace eutectic
