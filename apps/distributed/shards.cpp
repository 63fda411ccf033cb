#include "apps/distributed/shards.h"

namespace eutectic::distributed {

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
    for (int stride = 1; stride < count; stride *= 2) {
        for (int i = 0; i + stride < count; i += 2 * stride) {
            float *const into = vectors + i * size;
            const float *const from = vectors + (i + stride) * size;
            for (int64_t k = 0; k < size; k++) {
                into[k] += from[k];
            }
        }
    }
}

}  // namespace eutectic::distributed
