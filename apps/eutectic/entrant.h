#pragma once

// One scheduler's process and its row.

#include <nlohmann/json.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "apps/eutectic/comparison.h"
#include "apps/eutectic/schedulers.h"
#include "base/process.h"

namespace eutectic {

/** What a scheduler's process may take. */
struct ContestLimits {
    double timeout = 60;   ///< seconds for each step
    double seconds = 0.2;  ///< timed in each round
    int memory = 0;        ///< MiB
};

/** Another process of this program, even if its file is built anew meanwhile, that answers as contender.h
 * says. */
class Entrant {
public:
    /** `task`: what all contenders have in common. `write`: its results are what others' are compared with.
     */
    Entrant(nlohmann::json task, const std::string &file, const Scheduler &scheduler,
            const ContestLimits &limits, bool write);

    /** Is it there, and all well so far? */
    bool runs() const {
        return worker_ && worker_->alive() && row_.status == "ok";
    }
    const ComparisonRow &row() const {
        return row_;
    }
    /** The sentence by which it refused the pipeline; empty: it did not. */
    const std::string &refused() const {
        return refused_;
    }
    /** Seconds of each timed run. */
    const std::vector<double> &samples() const {
        return samples_;
    }

    /** The answer, put into the row; null if there is none, which the row then says. `doing`: in sentences.
     */
    nlohmann::json ask(const std::string &question, const std::string &doing);

    /** Times it for ContestLimits::seconds, and returns these samples; none if there is no answer. */
    std::vector<double> time(const std::string &doing);

    /** Ends it with a row that says so. */
    void stop(const std::string &status, const std::string &reason);

    /** The row, with the seconds of all samples. */
    ComparisonRow finished() const;

private:
    ComparisonRow row_;
    ContestLimits limits_;
    std::unique_ptr<Worker> worker_;
    std::vector<double> samples_;
    std::string refused_;

    void take(const nlohmann::json &answer);
};

}  // namespace eutectic
