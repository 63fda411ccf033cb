#pragma once

#include "apps/distributed/session.h"
#include "apps/support/statistics.h"

#include <optional>
#include <vector>

namespace eutectic::distributed {

/// A message between two ranks.
struct Link {
    int64_t bytes;
    double seconds;
};

/// What a job's time is made of. Seconds are medians over steps of whole batches; those of several ranks are
/// the slowest's. Empty where there is no core for every rank: such times would say nothing.
struct Measurement {
    struct Times {
        StepTimes step;                     ///< each part's own median
        double step_seconds;                ///< the median of all parts together
        double communication;               ///< the same buckets, with nothing to compute meanwhile
        double lone_step;                   ///< one process that runs all shards
        double split_seconds;               ///< a shard's backward in pieces …
        double whole_seconds;               ///< … and as one kernel
        std::vector<double> piece_seconds;  ///< of the former, the last piece first

        /// The share of communication during which something was computed, 0 … 1.
        double overlap() const;
        /// lone_step / (ranks · step_seconds), 1 where ranks cost nothing.
        double efficiency(int ranks) const;
    };
    std::optional<Times> times;
    std::vector<Link> links;  ///< if they were asked for, and there are two ranks
};

/// After training; all ranks at once.
Measurement measure(const World &world, Session &session, const Options &options);

}  // namespace eutectic::distributed
