#pragma once

#include <cstdint>
#include <vector>

namespace eutectic::distributed {

/// The batch of all ranks together, and how many shards it is cut into: fixed whatever the number of ranks,
/// so that each shard's gradient is the same number for any. CMakeLists.txt plans the kernels for a shard of
/// these.
constexpr int default_batch = 128, default_shards = 8;

/// Samples of each shard of a batch: as even as they can be, the larger ones first. Sums to `batch`; a shard
/// may be empty.
std::vector<int> shard_sizes(int batch, int shards);

/// Shards first … last − 1.
struct Owned {
    int first, last;

    int count() const {
        return last - first;
    }
};

/// The shards of a rank: neighbours, as even as they can be. ranks ≤ shards.
Owned owned_shards(int shards, int ranks, int rank);

/// Adds up `count` vectors of `size` floats, which lie one after the other, into the first of them:
/// ((0 + 1) + (2 + 3)) + … for every element. The order depends on nothing but `count`. The others are
/// overwritten.
void sum_in_tree(float *vectors, int count, int64_t size);

}  // namespace eutectic::distributed
