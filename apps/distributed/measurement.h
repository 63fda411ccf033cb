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

/// Of many steps, or many times the communication of one: the median, and the first decile, which is what it
/// takes while nothing else runs on a machine that is not quiet. Of several ranks the slowest's.
struct Typical {
    double median = 0, quiet = 0;
};

/// What a job's time is made of, in seconds, of steps of whole batches. `times` is empty where there is no
/// core for every rank: such times would say nothing.
struct Measurement {
    struct Times {
        Typical forward, backward, exposed, update;  ///< the parts of StepTimes
        Typical communication;                       ///< the same buckets, with nothing to compute meanwhile
        Typical lone_step;                           ///< one process that runs all shards
        double split_seconds;                        ///< a shard's backward in pieces …
        double whole_seconds;                        ///< … and as one kernel
        std::vector<double> piece_seconds;           ///< of the former, the last piece first
        std::vector<double> add_seconds;             ///< of each bucket: one shard's is added to another's …
        std::vector<double> mpi_add_seconds;         ///< … and by MPI's own sum

        /// The share of communication during which something was computed, 0 … 1.
        double overlap() const;
    };
    /// lone_step / (ranks · step), 1 where ranks cost nothing; of both the quiet time: they are not timed at
    /// once, and what else a machine does is not the ranks' cost. With times only.
    double efficiency(int ranks) const;

    Typical step;  ///< all parts together, even if that says little; 0: no batch was whole
    std::optional<Times> times;
    std::vector<Link> links;  ///< if they were asked for, and there are two ranks
};

/// After training; all ranks at once.
Measurement measure(const World &world, Session &session, const Options &options);

}  // namespace eutectic::distributed
