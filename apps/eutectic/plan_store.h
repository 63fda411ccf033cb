#pragma once

// The plans that eutectic tune may measure next.

#include <deque>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "schedules/autoschedule.h"
#include "tune/beliefs.h"
#include "tune/neighbours.h"

namespace eutectic {

/** What plans are of, and for. */
struct TuneSpace {
    Graph graph;                 ///< the pipeline, prepared
    std::vector<Member> family;  ///< what plans are for
    Parameters parameters;       ///< that all plans have
    Pins pins;                   ///< what the user pinned, which stays
};

/** A plan that may be measured. */
struct Candidate {
    Pins pins;
    std::string change;  ///< of the plan that is chosen without measuring, in words
    Planned planned;
    std::string decisions;         ///< its hash
    std::string priced;            ///< what it was priced by (cost/stage_json.h)
    std::vector<Seconds> on_each;  ///< of Beliefs
};
using CandidatePtr = std::shared_ptr<const Candidate>;

/** Priced plans, each once, and where more come from: steps from plans that are good. */
class PlanStore {
public:
    /** Refers to both. */
    PlanStore(const TuneSpace &space, const Beliefs &beliefs);

    /** The plan for these pins; null where there is none (refusal()), or it is known. */
    CandidatePtr plan(const Pins &pins, const std::string &change);
    const std::string &refusal() const {
        return refusal_;
    }

    /** A plan of these decisions is not priced again, or may be once more. */
    void know(const std::string &decisions) {
        known_.insert(decisions);
    }
    void forget(const std::string &decisions) {
        known_.erase(decisions);
    }

    /** It is the next to be measured, after those that were put in front before, whatever is expected. */
    void put_in_front(const Pins &pins, const std::string &change);

    /** The steps from `center` are the next ones that are looked at. */
    void look_around(const CandidatePtr &center);

    /** `c` took `ratio` times as long as the first plan: some time its surroundings may be worth a look. */
    void ran(double ratio, const CandidatePtr &c) {
        ran_.emplace_back(ratio, c);
    }

    /** Prices one step, or finds that there is none to be had. False: no plan is left to look around. */
    bool propose();

    /** Takes those of which most is expected beside `best`, and no more than `most`. */
    std::vector<CandidatePtr> take(size_t most, const Candidate &best);

    size_t size() const {
        return store_.size();
    }
    /** Plans that were priced, or known from before. */
    size_t looked_at() const {
        return known_.size();
    }

private:
    /** The steps away from one plan that are still to be looked at. */
    struct Surroundings {
        CandidatePtr center;
        std::deque<Neighbour> places = {}, loops = {};
        bool looked_for_places = false, turn_of_loops = false;
        uint64_t next_seed = 1;
    };

    const TuneSpace &space_;
    const Beliefs &beliefs_;
    std::string refusal_;
    std::set<std::string> known_, surrounded_;  // decisions
    std::vector<CandidatePtr> store_;
    size_t in_front_ = 0;               // of the store
    std::vector<Surroundings> around_;  // the last is looked at
    std::vector<std::pair<double, CandidatePtr>> ran_;

    const Machine &machine() const {
        return space_.family.front().machine;
    }
    void add(const Pins &pins, const std::string &change);
    bool keeps_users_pins(const Pins &pins) const;
    void look(Surroundings &s) const;
    bool look_around_next();
};

}  // namespace eutectic
