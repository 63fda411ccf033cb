#pragma once

// One search of eutectic tune by several ranks.
//
// Ranks of one kind, which is all that a database tells runs apart by (pipeline, machine, target, threads,
// …), share a search: the first of them leads it, the others measure what it asks for. Each kind has a search
// of its own. Rank 0 owns the database; leaders of other kinds send it their trials.

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "apps/eutectic/team.h"
#include "apps/eutectic/tune_database.h"

namespace eutectic {

/** What a helper is asked to measure: a plan in turns with the best one so far. */
struct TuneJob {
    std::string plan, best;  ///< pins, as JSON
};

/** A kind that rank 0 is not of. */
struct OfOtherRanks {
    std::vector<int> ranks;
    Tuned tuned;
};

class TuneTeam {
public:
    /** `database`: the file that rank 0 keeps trials in; empty: none. */
    TuneTeam(std::unique_ptr<Team> team, std::string database);

    int rank() const {
        return team_->rank();
    }

    /** Tells rank 0 what this rank would measure, and is told its part: true if it leads. Throws UserError,
     * on rank 0, if another rank was refused. */
    bool meet(const TuneSubject &subject);
    /** This rank was refused before meet(). Rank 0 says so and ends; false if it is gone or does not. */
    bool tell_refusal(const std::string &sentence) const;

    // Of leaders.

    const std::vector<Trial> &earlier_trials() const {
        return earlier_;
    }
    void keep(const Trial &trial);
    size_t idle_helpers() {
        take_all();
        return idle_.size();
    }
    void ask_helper(size_t job, const TuneJob &plans);
    /** What helpers have measured since: jobs, and what trials of them say. */
    std::vector<std::pair<size_t, Trial>> measured();
    /** Waits for what helpers still measure, and lets them go. */
    void dismiss_helpers();

    // Of helpers.

    /** Waits for a job. None: the search is over. */
    std::optional<TuneJob> next_job() const;
    void answer(const Trial &trial) const;

    /** The end of all. Of rank 0: what the other kinds have found. */
    std::vector<OfOtherRanks> gather(const Tuned &tuned);
    void end() const {
        team_->end();
    }

private:
    struct Kind {
        TuneSubject subject;
        std::vector<int> ranks;
        std::unique_ptr<TuneDatabase> database;
        std::optional<Tuned> tuned;
    };

    std::unique_ptr<Team> team_;
    const std::string path_;
    int leader_ = 0;
    std::vector<Trial> earlier_;
    std::vector<int> idle_;
    std::map<int, size_t> busy_;  // helpers' jobs
    std::vector<std::pair<size_t, Trial>> measured_;
    std::vector<Kind> kinds_;  // of rank 0, its own first

    void gather_kinds(const TuneSubject &own);
    void assign(Kind &kind);
    void take_all();
    void take(const Team::Message &message);
    Kind &kind_of(int leader);
};

}  // namespace eutectic
