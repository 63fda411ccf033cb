#pragma once

#include "apps/digits/split.h"
#include "apps/distributed/trainer.h"
#include "apps/distributed/world.h"

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

namespace eutectic::distributed {

/// What was asked for.
struct Options {
    std::string data;
    Settings settings;
    int epochs = 40;
    std::string checkpoint;      ///< a file, or empty: none is written
    int every = 0;               ///< steps between checkpoints; 0: at the end of every epoch
    std::string resume;          ///< a file, or empty: begin anew
    std::string resumed;         ///< what that file holds, on every rank
    int threads = 0;             ///< of each rank; 0: a share of the machine's cores
    std::string reduce = "mpi";  ///< or nccl: who adds up gradients over ranks
    bool links = false;          ///< measure messages between two ranks, too
    bool json = false;
};

/// A training, from its first or from a checkpoint's step to its end: one rank's part of it.
class Session {
public:
    /// Reads the data and the checkpoint. `options.settings` are the checkpoint's, if there is one. Throws
    /// UserError, the same on all ranks.
    Session(const World &world, const Options &options);

    /// Trains to the end of the last epoch. `log` gets lines of progress on rank 0.
    void train(std::FILE *log);

    /// Of the digits kept for the test, 0 … 1.
    double test_accuracy();

    const std::vector<double> &losses() const {
        return losses_;  // of the epochs that have ended
    }
    const std::vector<StepTimes> &times() const {
        return times_;  // of the steps of whole batches
    }
    Trainer &trainer() {
        return *trainer_;
    }
    digits::Network &network() {
        return network_;
    }
    const digits::Digits &data() const {
        return data_;
    }
    const digits::Split &lines() const {
        return lines_;
    }
    double seconds() const {
        return seconds_;
    }

private:
    Session(const World &world, const Options &options, digits::Streams streams);
    void read(Random &split);
    void resume(const std::string &text);
    void train_epoch();
    void save();
    void compare_ranks() const;

    const World &world_;
    const Options options_;
    Random order_;
    digits::Network network_;
    digits::Digits data_;
    digits::Split lines_;
    std::string data_hash_;
    Position position_;
    std::unique_ptr<Trainer> trainer_;
    std::vector<double> losses_;
    std::vector<StepTimes> times_;
    double seconds_ = 0;
};

/// A number that weights of other bits do not have.
uint64_t weights_hash(const digits::Network &network);

}  // namespace eutectic::distributed
