#include "tests/support/machines.h"

namespace eutectic::test {

Machine round_machine() {
    Machine m;
    m.name = "made up, round numbers";
    m.cores = 4;
    m.vector_bits = 256;
    m.datapath_bits = 256;
    m.vector_registers = 16;
    m.hertz = 1e9;
    m.vector_ops_per_cycle = 2;
    m.fma_latency_cycles = 4;
    m.loads_per_cycle = 2;
    m.broadcasts_per_cycle = 2;
    m.stores_per_cycle = 1;
    m.store_transfers = 2;
    m.fresh_page_seconds = 1e-6;
    m.page_bytes = 4096;
    m.kept_allocation_bytes = Bytes{32} << 20;
    m.division_cycles = 8;
    m.exp_cycles = 16;
    m.libm_seconds = 1e-8;
    m.gather_cycles_per_lane = 1;
    m.conflict_cycles_per_lane = 5;
    m.conflict_bytes = 4096;
    m.conflict_ways = 8;
    m.l1 = {32 * 1024, 1e11};
    m.l2 = {256 * 1024, 5e10};
    m.l3 = {4 * 1024 * 1024, 2e10};
    m.memory_bytes_per_second = 1e10;
    m.usable_cache = 1;
    m.overlap_loss = 0.1;
    m.task_seconds = 1e-7;
    m.launch_seconds = 1e-6;
    m.allocation_seconds = 1e-7;
    m.line_bytes = 64;
    m.lone_core_share = 0.5;
    m.store_forwarding_cycles = 4;
    m.loop_cycles = 1;
    return m;
}

}  // namespace eutectic::test
