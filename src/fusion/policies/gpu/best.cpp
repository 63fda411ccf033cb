// The policies for GPUs, in the order in which ties are broken.

#include "fusion/policies/gpu/gpu.h"

namespace eutectic {

std::optional<Group> best_gpu_group(const GroupRequest &q) {
    if (!q.tiled.empty() || !q.with.empty()) {
        return std::nullopt;  // no rule of the GPU list places Funcs so
    }
    if (!q.blocked.empty()) {
        return gpu_block(q);
    }
    return cheaper(cheaper(gpu_points(q), gpu_block(q)), gpu_chunks(q));
}

}  // namespace eutectic
