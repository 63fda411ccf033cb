#pragma once

#include "apps/digits/network.h"
#include "apps/distributed/boundaries.h"
#include "apps/distributed/reduction.h"

#include <map>
#include <string>
#include <vector>

namespace eutectic::distributed {

/// The gradients of this rank's shards, in the memory of the buckets that they travel in. The first bucket
/// also carries the loss.
class Gradients {
public:
    Gradients(std::vector<Bucket> buckets, const digits::Network &network, int shards, Owned own,
              bool all_shards);

    const std::vector<Bucket> &buckets() const {
        return buckets_;
    }
    std::vector<BucketMemory> &memory() {
        return memory_;
    }
    /// Where a shard's gradient of a parameter begins ("w1"), and where the sum over all shards does.
    float *of(const std::string &parameter, int shard);
    float *sum_of(const std::string &parameter);
    /// The same of the loss.
    float &loss_of(int shard);
    float loss_sum();
    /// Zeros for a shard without samples.
    void clear(int shard);

private:
    struct Place {
        size_t bucket;
        int64_t offset;  // in floats
    };
    std::vector<Bucket> buckets_;
    std::vector<BucketMemory> memory_;
    std::map<std::string, Place> places_;  // by parameter
};

}  // namespace eutectic::distributed
