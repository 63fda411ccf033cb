#pragma once

// What a tuning run has measured.

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"

namespace eutectic {

/** One plan against another one, in turns. */
struct TimedRound {
    Seconds plan = 0, against = 0;  ///< of the fastest run of each in this round
};

/** One plan that was measured, or was to be. */
struct Trial {
    std::string decisions;  ///< the plan's hash, without those of pipeline and machine
    std::string pins;       ///< as JSON
    std::string change;     ///< what its pins change, in words
    Seconds predicted = 0;
    std::string priced;                 ///< what it was priced by (cost/stage_json.h)
    std::string status = "ok", reason;  ///< as ComparisonRow has them
    std::optional<double> compile_seconds, max_error;
    std::optional<int64_t> peak_bytes;
    std::string against;  ///< decisions of the plan that it was timed with
    std::vector<TimedRound> rounds;
    Seconds seconds = 0;          ///< of its fastest run, beside that plan; 0: it did not run
    std::optional<double> ratio;  ///< of its time to that of the plan that is chosen without measuring
    bool last = false;            ///< in the last contest, which measures a plan once more
    double second = 0;            ///< of the run, when it was done
    int rank = 0;                 ///< of the process that measured it (tune_team.h)

    /** Its fastest run over the other plan's. */
    std::optional<double> ratio_of_rounds() const;
    /** Was it faster in every round? */
    bool wins() const;
};

/** A run's result. */
struct Tuned {
    std::string name, target, machine, cpu;
    int threads = 1;
    Seconds first_seconds = 0;  ///< measured, of the plan that is chosen without measuring
    Seconds best_seconds = 0;   ///< of the best one, beside it
    double ratio = 1;           ///< of the two, in the last contest
    std::string first, best;    ///< decisions
    std::string pins;           ///< of the best one
    std::string change;         ///< of the best one, in words; empty: nothing was faster
    std::string why;            ///< the run ended
    std::vector<Trial> trials;  ///< in the order in which they were measured, those of earlier runs first
    size_t earlier = 0;         ///< how many of them are from runs before
    size_t looked_at = 0;       ///< plans that were priced
};

nlohmann::ordered_json to_json(const Tuned &tuned);
std::string to_text(const Tuned &tuned);
/** The best time against the number of trials, and their table. */
std::string tune_page(const Tuned &tuned);

}  // namespace eutectic
