#pragma once

#include <functional>
#include <optional>

#include "fusion/rules/rule.h"

namespace eutectic {

/** What compiling `plan` is estimated to take, on one core (compile_seconds() of cost.h). */
Seconds compile_seconds(const FusionPlan &plan, const Machine &machine);

/** The seconds that compiling a plan may take: what is asked for, or else a minute, or three times what its
 * unfused form takes, whichever is more. */
Seconds compile_seconds_allowed(const Machine &machine, std::optional<Seconds> asked, const Planned &planned);

/** Leaves out of the costs of `plan` what compiling counts as: they are those of running it alone. */
void count_runs_alone(FusionPlan &plan);

/** Searches for a plan. `before`: one for the same pipeline with other prices, where it may begin; null:
 * there is none yet. */
using PlanSearch = std::function<Planned(const Machine &, const Planned *before)>;

/** The plan that `search` finds on `machine`, or, where a second of compiling that this one takes saves less
 * than Machine::compile_share of a run, one that is found with these seconds counted as that. If compiling it
 * is estimated to take more than `limit` (nothing: a minute, or three times what the unfused program takes,
 * whichever is more), seconds of compiling count more and more (Machine::compile_weight: a Lagrange
 * multiplier), until the plan that is found keeps to the limit; where none does, the one that compiles
 * fastest. Costs of the result are those of running it alone; its steps have what they were weighed by. */
Planned within_compile_seconds(const Machine &machine, std::optional<Seconds> limit,
                               const PlanSearch &search);

}  // namespace eutectic
