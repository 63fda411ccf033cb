#pragma once

// Plans of eutectic tune, run on this machine.

#include <nlohmann/json.hpp>

#include <memory>
#include <string>
#include <vector>

#include "apps/eutectic/entrant.h"
#include "apps/eutectic/guard.h"
#include "apps/eutectic/trials.h"
#include "apps/eutectic/tuner.h"
#include "apps/eutectic/turns.h"

namespace eutectic {

constexpr int rounds_of_trial = 3;  ///< of a plan against the best one so far

/** Runs plans, each in a process of its own, and times two of them in turns. Results are compared with those
 * of the unfused program. */
class PlanBench {
public:
    /** `in_company`: other processes of the same search may be on this machine; they take turns. */
    PlanBench(const TuneTask &task, bool in_company);

    /** Runs the unfused program. Throws UserError if the pipeline cannot be run. */
    void run_reference();

    /** The plan's process; it has not been asked for anything. `pins`: as JSON. */
    std::unique_ptr<Entrant> start(const std::string &pins);

    /** Each is scheduled and compiled, all at a time. */
    void compile(const std::vector<Entrant *> &all) const;

    /** Runs it, and times it. Throws UserError, which names it as `what`, if it cannot be. */
    std::vector<double> run_alone(Entrant &e, const std::string &what) const;

    /** Runs `e`, then rounds of the two in turns, as many as there are, or until `e` has lost one. */
    std::vector<TimedRound> contest(Entrant &e, Entrant &against, int most) const;

    [[noreturn]] void cannot_run(const Entrant &e, const std::string &what) const;

private:
    const TuneTask &task_;
    ScratchFolder folder_;
    Turns turns_;
    nlohmann::json contender_;  // the task, with what the reference has told
    int files_ = 0;

    Entrant entrant(const Scheduler &scheduler, bool write) const;
};

/** What `e`'s row says, in a trial. */
void take_row(Trial &t, const Entrant &e);

/** The fastest of the samples; 0 of none. */
Seconds fastest(const std::vector<double> &samples);

}  // namespace eutectic
