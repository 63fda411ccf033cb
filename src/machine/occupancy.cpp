#include <algorithm>

#include "machine/gpu.h"

namespace eutectic {

namespace {

int64_t rounded_up(int64_t n, int64_t step) {
    return (n + step - 1) / step * step;
}

/** Blocks that the registers of an SM hold. */
int by_registers(const Gpu &g, const KernelResources &k, int64_t warps) {
    const int64_t of_warp =
        rounded_up(static_cast<int64_t>(k.registers) * g.warp_size, g.register_granularity);
    if (k.registers > g.registers_per_thread ||
        of_warp * rounded_up(warps, g.partitions_per_sm) > g.registers_per_block) {
        return 0;
    }
    const int64_t warps_held = of_warp > 0
                                   ? g.registers_per_sm / g.partitions_per_sm / of_warp * g.partitions_per_sm
                                   : g.threads_per_sm / g.warp_size;
    return static_cast<int>(of_warp > 0 ? warps_held / warps : g.blocks_per_sm);
}

int by_shared_memory(const Gpu &g, const KernelResources &k) {
    const int64_t of_block = rounded_up(k.shared_bytes + g.shared_reserved_bytes, g.shared_granularity_bytes);
    if (of_block > g.shared_bytes_per_block + g.shared_reserved_bytes) {
        return 0;
    }
    return of_block > 0 ? static_cast<int>(g.shared_bytes_per_sm / of_block) : g.blocks_per_sm;
}

}  // namespace

const char *to_string(Occupancy::Limit limit) {
    const char *const names[] = {"threads", "blocks", "registers", "shared memory"};
    return names[static_cast<int>(limit)];
}

Occupancy occupancy(const Gpu &g, const KernelResources &k) {
    using Limit = Occupancy::Limit;
    Occupancy result;
    if (k.threads <= 0) {
        return result;
    }
    const int64_t warps = (k.threads + g.warp_size - 1) / g.warp_size;
    const int64_t warps_of_sm = g.threads_per_sm / g.warp_size;
    const int limits[] = {k.threads > g.threads_per_block ? 0 : static_cast<int>(warps_of_sm / warps),
                          g.blocks_per_sm, by_registers(g, k, warps), by_shared_memory(g, k)};
    const int *least = std::min_element(std::begin(limits), std::end(limits));
    result.blocks = *least;
    result.limit = static_cast<Limit>(least - std::begin(limits));
    result.share = static_cast<double>(result.blocks * warps) / static_cast<double>(warps_of_sm);
    return result;
}

}  // namespace eutectic
