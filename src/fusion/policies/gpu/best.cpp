// The policies for GPUs, in the order in which ties are broken.

#include "fusion/policies/gpu/gpu.h"

namespace eutectic {

std::optional<Group> best_gpu_group(const GroupRequest &q) {
    if (!q.with.empty() || (!q.tiled.empty() && !q.blocked.empty())) {
        return std::nullopt;  // no policy has loops for that yet
    }
    if (!q.tiled.empty()) {
        const std::optional<Group> whole = cheaper(gpu_contraction(q), gpu_shared_tile(q));
        return cheaper(whole, gpu_split_sum(q, whole));
    }
    if (!q.blocked.empty()) {
        return gpu_block(q);
    }
    const std::optional<Group> whole = cheaper(cheaper(cheaper(cheaper(cheaper(gpu_points(q), gpu_turned(q)), gpu_contraction(q)), gpu_shared_tile(q)), gpu_block(q)), gpu_chunks(q));
    return cheaper(whole, gpu_split_sum(q, whole));
}

}  // namespace eutectic
