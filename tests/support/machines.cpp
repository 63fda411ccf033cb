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
    m.index_cycles_per_lane = 0;
    m.compile_share = 0;
    m.conflict_cycles_per_lane = 5;
    m.conflict_bytes = 4096;
    m.conflict_ways = 8;
    m.l1 = {32 * 1024, 1e11};
    m.l2 = {256 * 1024, 5e10};
    m.l3 = {4 * 1024 * 1024, 2e10};
    m.l2_run_seconds = m.l2_conflict_seconds = m.l3_run_seconds = m.memory_run_seconds =
        m.memory_short_line_seconds = 0;
    m.far_page_cycles = 0;
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

Gpu round_gpu() {
    Gpu g;
    g.name = "made up, round numbers";
    g.sms = 10;
    g.warp_size = 32;
    g.threads_per_block = 1024;
    g.threads_per_sm = 1024;
    g.blocks_per_sm = 16;
    g.registers_per_sm = g.registers_per_block = 32768;
    g.registers_per_thread = 255;
    g.register_granularity = 256;
    g.partitions_per_sm = 4;
    g.shared_bytes_per_sm = 64 * 1024;
    g.shared_bytes_per_block = 32 * 1024;
    g.shared_reserved_bytes = 1024;
    g.shared_granularity_bytes = 1024;
    g.l1_bytes_per_sm = 96 * 1024;
    g.l2_bytes = 4 * 1024 * 1024;
    g.hertz = 1e9;
    g.dram_bytes_per_second = 1e11;
    g.l2_bytes_per_second = 4e11;
    g.fmas_per_cycle = 64;
    g.special_per_cycle = 16;
    g.access_bytes_per_cycle = 128;
    g.sector_bytes = 32;
    g.dram_latency_seconds = 5e-7;
    g.shared_latency_seconds = 2e-8;
    g.launch_seconds = 2e-6;
    g.allocation_seconds = 1e-6;
    return g;
}

Machine round_gpu_machine() {
    Machine m = round_machine();
    m.gpu = round_gpu();
    return m;
}

}  // namespace eutectic::test
