#include "apps/eutectic/tune_helper.h"

#include <memory>
#include <string>

namespace eutectic {

void help_tuning(PlanBench &bench, TuneTeam &team) {
    bench.run_reference();
    std::unique_ptr<Entrant> best;
    std::string best_pins;
    while (const std::optional<TuneJob> job = team.next_job()) {
        if (!best || job->best != best_pins) {
            best = bench.start(job->best);
            bench.run_alone(*best, "the best plan so far");
            best_pins = job->best;
        }
        const std::unique_ptr<Entrant> e = bench.start(job->plan);
        bench.compile({e.get()});
        Trial t;
        t.rounds = bench.contest(*e, *best, rounds_of_trial);
        take_row(t, *e);
        t.rank = team.rank();
        team.answer(t);
    }
}

void take_measured(Trial &t, const Trial &found) {
    t.status = found.status;
    t.reason = found.reason;
    t.compile_seconds = found.compile_seconds;
    t.max_error = found.max_error;
    t.peak_bytes = found.peak_bytes;
    t.seconds = found.seconds;
    t.rounds = found.rounds;
    t.rank = found.rank;
}

}  // namespace eutectic
