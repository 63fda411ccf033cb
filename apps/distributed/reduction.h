#pragma once

// How the gradients of all shards become one, on every rank, while the backward goes on.

#include "apps/distributed/shards.h"
#include "apps/distributed/world.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace eutectic::distributed {

/// The gradients of one bucket: a block of `size` floats a shard, into which the kernels write.
class BucketMemory {
public:
    /// `all_shards`: has a block for every shard of the batch, not only for this rank's own.
    BucketMemory(int64_t size, int shards, Owned own, bool all_shards);

    int64_t size() const {
        return size_;
    }
    /// The block of a shard that this rank has.
    float *block(int shard) {
        return floats_.data() + (shard - first_) * size_;
    }
    /// Where the sum over all shards is, once it is there: the first block.
    float *sum() {
        return floats_.data();
    }
    int blocks() const {
        return static_cast<int>(static_cast<int64_t>(floats_.size()) / size_);
    }

private:
    int64_t size_;
    int first_;
    std::vector<float> floats_;
};

/// Adds up one bucket after the other, without blocking.
class Reduction {
public:
    virtual ~Reduction() = default;

    /// Whether the memory of a bucket has a block for every shard.
    virtual bool needs_all_shards() const = 0;
    /// This rank's blocks are complete. Returns at once; until finish(), nobody touches them.
    virtual void begin(size_t bucket) = 0;
    /// Moves on what has begun: MPI works only while it is called.
    virtual void progress() = 0;
    /// Waits until the sum over all shards is at the bucket's sum(), and returns seconds of waiting alone.
    /// Throws LostRank.
    virtual double finish(size_t bucket) = 0;
    /// "all-reduce" and so on, for the report.
    virtual std::string name() const = 0;
};

/// By numerics: "strict" gathers the shards of all ranks and adds them up in one fixed tree, the same bits
/// for any number of ranks; "fast" adds up each rank's own, then lets MPI add up those. `buckets` may be
/// filled after this; both must outlive what is returned.
std::unique_ptr<Reduction> make_reduction(const std::string &numerics, const World &world,
                                          std::vector<BucketMemory> &buckets, int shards);

/// For a rank that has all shards, and asks nobody.
std::unique_ptr<Reduction> make_lone_reduction(std::vector<BucketMemory> &buckets);

}  // namespace eutectic::distributed
