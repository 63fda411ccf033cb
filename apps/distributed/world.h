#pragma once

// The ranks of a job, and what this program needs of MPI. Only world.cpp and reduction.cpp see mpi.h.

#include <functional>
#include <optional>
#include <stdexcept>
#include <string>

namespace eutectic::distributed {

/// A rank does not answer, or MPI says that it could not be reached: the job is over.
class LostRank : public std::runtime_error {
public:
    explicit LostRank(const std::string &sentence) : std::runtime_error(sentence) {
    }
};

/// All ranks that mpirun started; a program that it did not start is the only one. One at a time.
class World {
public:
    World(int *argc, char ***argv);
    ~World();
    World(const World &) = delete;
    World &operator=(const World &) = delete;

    int rank() const {
        return rank_;
    }
    int ranks() const {
        return ranks_;
    }
    /// Those on this machine, this one included, this one's number among them, and the cores that they share.
    int local_ranks() const {
        return local_ranks_;
    }
    int local_rank() const {
        return local_rank_;
    }
    int cores() const {
        return cores_;
    }
    /// Whether every machine has a core for each of its ranks: times say something only then.
    bool has_cores_for_all() const {
        return has_cores_for_all_;
    }

    /// Seconds that this rank waits for the others before it takes one for lost.
    double patience = 60;

    /// Runs `step` on every rank. If it threw on some, throws UserError with the sentence of the lowest of
    /// them, on all ranks.
    void together(const std::function<void()> &step) const;

    /// The text of rank 0, on every rank.
    std::string of_first(const std::string &text) const;

    /// Whether all ranks have the same number.
    bool same(uint64_t number) const;

    /// The largest of all ranks' numbers.
    double largest(double number) const;

    /// Waits for all ranks, asleep: a core that a waiting rank keeps busy is not free for one that is timed.
    void wait_for_all() const;

    /// Seconds of a message of `bytes` from rank 0 to rank 1, half of there and back, the least of several;
    /// the others wait. Takes two ranks.
    double message_seconds(int64_t bytes) const;

    /// Seconds in which MPI adds as many bytes of floats to others, on this rank alone: the least of several.
    double add_seconds(int64_t bytes) const;

    /// Ends every rank's process with this status.
    [[noreturn]] void abort(int status) const;

private:
    int rank_ = 0, ranks_ = 1, local_ranks_ = 1, local_rank_ = 0, cores_ = 1;
    bool has_cores_for_all_ = true;
};

}  // namespace eutectic::distributed
