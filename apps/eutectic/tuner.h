#pragma once

// The measured search of eutectic tune.

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <vector>

#include "apps/eutectic/contest.h"
#include "apps/eutectic/plan_store.h"
#include "apps/eutectic/trials.h"

namespace eutectic {

class TuneTeam;

/** What is tuned, and how. */
struct TuneTask {
    std::string name;      ///< in sentences
    nlohmann::json task;   ///< contender.h; without the scheduler
    Scheduler eutectic;    ///< with the parameters that all plans have
    ContestLimits limits;  ///< of each plan's process
    TuneSpace space;
    std::string target, database;  ///< the latter empty: none is kept
    double budget = 0;             ///< seconds for all of it
    int jobs = 1;                  ///< plans that are compiled at a time
};

/** Measures plans until the budget is used, all that it can think of are measured, or the user stops it, and
 * returns what it found. Each plan runs in a process of its own; its results are compared with those of the
 * unfused program before it is timed; and it is timed in turns with the best one so far, which it replaces if
 * it is faster in every round. At the end the best one has to win in the same way, in more rounds, against
 * the plan that is chosen without measuring; if it does not, that one stays. With a `team` the ranks of one
 * kind search together (tune_team.h), and those that do not lead return none. Throws UserError for a pipeline
 * that cannot be run, or a database that cannot be used. */
std::optional<Tuned> tune(const TuneTask &task, const Progress &progress, TuneTeam *team);

}  // namespace eutectic
