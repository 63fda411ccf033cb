#pragma once

// The ranks of a tuning run that do not lead it.

#include "apps/eutectic/plan_bench.h"
#include "apps/eutectic/tune_team.h"

namespace eutectic {

/** Measures what the leader asks for, until the search is over. Each plan is timed in turns with the best one
 * so far, which runs here, too. Throws UserError if the pipeline cannot be run here. */
void help_tuning(PlanBench &bench, TuneTeam &team);

/** What was measured, of `found`; what is known of the plan stays. */
void take_measured(Trial &t, const Trial &found);

}  // namespace eutectic
