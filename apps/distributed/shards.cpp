#include "apps/distributed/shards.h"

#include <Eigen/Core>

#include <algorithm>

namespace eutectic::distributed {

namespace {

/// Floats of each vector that are added up at once: those of 8 are 32 KiB, the first level of most caches.
constexpr int64_t piece = 1024;

}  // namespace

std::vector<int> shard_sizes(int batch, int shards) {
    std::vector<int> sizes(shards, batch / shards);
    for (int i = 0; i < batch % shards; i++) {
        sizes[i]++;
    }
    return sizes;
}

Owned owned_shards(int shards, int ranks, int rank) {
    const int each = shards / ranks, more = shards % ranks;
    const int first = rank * each + (rank < more ? rank : more);
    return {first, first + each + (rank < more ? 1 : 0)};
}

void sum_in_tree(float *vectors, int count, int64_t size) {
    for (int64_t begin = 0; begin < size; begin += piece) {
        const int64_t floats = std::min(piece, size - begin);
        for (int stride = 1; stride < count; stride *= 2) {
            for (int i = 0; i + stride < count; i += 2 * stride) {
                Eigen::Map<Eigen::ArrayXf>(vectors + i * size + begin, floats) +=
                    Eigen::Map<const Eigen::ArrayXf>(vectors + (i + stride) * size + begin, floats);
            }
        }
    }
}

}  // namespace eutectic::distributed
