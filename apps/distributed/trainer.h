#pragma once

#include "apps/digits/data.h"
#include "apps/digits/network.h"
#include "apps/distributed/checkpoint.h"
#include "apps/distributed/gradients.h"
#include "apps/distributed/kernels.h"
#include "apps/distributed/shard_pass.h"

#include <functional>
#include <map>
#include <memory>
#include <vector>

namespace eutectic::distributed {

/// Seconds of one rank's step, one part after the other.
struct StepTimes {
    double forward = 0, backward = 0;  ///< of its shards; buckets travel during the latter
    double exposed = 0;                ///< waiting for buckets, with nothing else to do
    double update = 0;                 ///< sums over shards, and Adam

    double total() const {
        return forward + backward + exposed + update;
    }
};

/// Makes a reduction over the memory of buckets, which outlives it.
using MakeReduction = std::function<std::unique_ptr<Reduction>(std::vector<BucketMemory> &)>;

/// Trains a network: one rank's part of it. Owns every buffer of a step, so that a step allocates nothing but
/// for a number of samples that it has not met.
class Trainer {
public:
    /// Refers to the network and the data, which must outlive it.
    Trainer(digits::Network &network, const digits::Digits &data, const Settings &settings, Owned own,
            Kernels kernels, bool all_shards, const MakeReduction &make_reduction);

    /// One update from the samples of these lines, the whole batch of all ranks. Returns their mean loss
    /// before it.
    float step(const std::vector<int> &lines);

    /// What the last step took.
    const StepTimes &times() const {
        return times_;
    }
    /// Reduces all buckets as they are, with nothing to do meanwhile. Returns seconds.
    double reduce_alone();

    const std::vector<Bucket> &buckets() const {
        return gradients_.buckets();
    }
    /// Bytes of a bucket's gradients, of one shard.
    int64_t bucket_bytes(size_t bucket);
    const Reduction &reduction() const {
        return *reduction_;
    }

private:
    struct Next;
    void bind_adam();
    void load(const std::vector<int> &lines);
    void differentiate();
    void update(size_t bucket);

    digits::Network &network_;
    const digits::Digits &data_;
    const Settings settings_;
    const Owned own_;
    const Kernels kernels_;
    Gradients gradients_;
    std::unique_ptr<Reduction> reduction_;
    std::map<std::pair<int, int>, std::unique_ptr<ShardPass>> passes_;  // by shard and samples
    std::vector<ShardPass *> current_;                                  // of this step
    std::vector<Next> next_;                                            // as many as parameters
    StepTimes times_;

public:
    ~Trainer();
};

}  // namespace eutectic::distributed
