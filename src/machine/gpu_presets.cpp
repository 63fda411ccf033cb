// GPUs by name. Sources, number by number.
//   sms: 108, 132 and 128 of the 128, 144 and 144 that the chips have: NVIDIA A100 Tensor Core GPU
//   Architecture (2020), table 4; NVIDIA H100 Tensor Core GPU Architecture (2022), table 3, SXM5;
//     NVIDIA Ada GPU Architecture (2022), appendix A, GeForce RTX 4090. The H200 has the H100's chip (NVIDIA
//     H200 datasheet, 2023: 67 TFLOPS of float32, as the H100).
//   hertz: the boost clock of float32: A100 1410 MHz and RTX 4090 2520 MHz (same tables; the A100's also by
//   deviceQuery on one); H100 1980 MHz, which its 66.9 TFLOPS of float32 on 132 SMs of 128 lanes come
//     to (1830 MHz is the clock of its tensor cores).
//   fmas_per_cycle, special_per_cycle: 64, 128, 128 and 16: CUDA C++ Programming Guide, "Throughput of Native
//   Arithmetic Instructions" (8.0, 9.0, 8.9); the former follow from the peak rates, too:
//     19.5, 66.9 and 82.6 TFLOPS.
//   threads, blocks, registers and shared memory of an SM and a block: the same, "Technical Specifications
//   per Compute Capability"; what is reserved for a block and the granularities:
//     cuda_occupancy.h, which a test compares occupancies with.
//   l1_bytes_per_sm, access_bytes_per_cycle: the tuning guides of Ampere, Hopper and Ada (192, 256 and 128
//   KiB together with shared memory; 128 B a cycle). l2_bytes: 40, 50 and 72 MB: the documents of the first
//   line. dram_bytes_per_second: 1555 GB/s (A100, 40 GB), 3.35 TB/s (H100 SXM5 datasheet), 4.8 TB/s (H200
//   datasheet), 1008 GB/s (RTX 4090, 384 bits at 21 Gbit/s). l2_bytes_per_second: 5120 B a clock: A100 white
//   paper, "A100 L2 cache"; the H100 is taken to have the same at its clock, as Ultrasonics Sonochemistry 99
//   (2023) 106546, table 3, does (7219 GB/s for the A100;
//     8986 GB/s at an H100's 1755 MHz). RTX 4090: about 5 times its DRAM, an estimate.
//   The H200's were measured on one (driver 580.159, CUDA C++ probes): hertz, multiply-adds of 8 chains a
//   thread, 30.5e12 a second; its second level by what the driver tells; DRAM, copies of 1 GiB of floats by
//   threads of four loads each (2.67e12 with one load, 4.8e12 by the datasheet); the second level, reads of
//   24 to 32 MiB as Halide emits them, 4 bytes a thread (7.9e12 with 16); shared memory, 28 cycles; launches
//   of an empty kernel, one after the other. Compared with what others repeat of these documents: SMs,
//   clocks, rates, DRAM, sizes of L2, shared memory of an SM (A100, H100); threads and blocks of an SM with
//   cuda_occupancy.h. Taken from them without a second
//     look: the special functions' rate, the first level's size and rate, the RTX 4090's shared memory.
//   shared_banks: 32 of 4 bytes since capability 2.0: CUDA C++ Programming Guide, "Compute Capability 5.x,
//   Shared Memory" and later. barrier_seconds: an SM takes 16 threads a cycle through __syncthreads() (CUDA
//   C++ Best Practices Guide 13.2, "Synchronization Instructions", capabilities 7.x and 8.x): a block of 256
//   in 11 ns at 1410 MHz,
//     of 1024 in 45 ns. 20 ns is for some 450, between the blocks that plans have; not measured by us.
//   atomics_per_cycle: an estimate of its order, the same for every preset: a slice of the second level does
//   one a cycle, and there are some tens of slices; not measured by us.
//   latencies, launch: estimates of their order (DRAM 0.5 to 0.8 us under load, shared memory some 30 cycles,
//   2 to 5 us a launch); no measurement of ours. A file replaces them.
// What Halide's kernels are as code (gpu.h), the same for every preset. Where nothing else is said: estimates
// from what ptxas makes of Halide's kernels (sm_80, CUDA 13.0), which no other device was looked at for.
//   instruction_latency_cycles: what CUDA C++ Programming Guide, "Multiprocessor Level", says of most
//   arithmetic instructions of capability 7.x.
//   turns_under_way: chosen, not measured: a thread has the loads of later turns under way while it waits for
//   the first. With more, it waits less in each turn of a loop.
//   barriers_a_step: from the schedule: after each of two copies, and at the end of a step.
//   widest_load_bytes: vectors of 128 bits, the widest that PTX's ld.shared has.
//   cuda_runtime_registers: CU_JIT_MAX_REGISTERS as Halide 21's runtime gives it to the driver
//   (src/runtime/cuda.cpp, compile_kernel); the environment variable HL_CUDA_JIT_MAX_REGISTERS of the process
//   that runs the kernels gives another. On an H200 a product of 4096^3 planned for 128 registers took 28.7
//   ms with 64 of them: 1.7 KB of a thread's values were in local memory. spare_registers: chosen between 18
//   and 28, what these had: ptxas 13.0 (sm_90) with ever fewer registers, until it spilled: tiles of 4 x 4, 4
//   x 8 and 4 x 4 sums of three products 44, 64 and 48 of the 65, 85 and 66 estimated, rows in registers 44
//   of 64, 64 of 88 and 76 of 104; tiles of 4 x 16 needed 124 of 125. base_registers, load_registers,
//   point_registers, address_registers: tests/gpu/test_ptxas.cpp compares what they add up to with ptxas;
//   feedback=1 plans again where they are too few. row_value_registers: measured (schedules/gpu/README.md):
//   of softmax, log_softmax and layernorm, beside 24 to 28: 0.9 with 8 values, 0.75 to 1 with 32, 1.1 with
//   128, 1.2 with 188. split_sum_gain: chosen, not measured: kernels that leave most of a device idle take
//   the latencies of their loads, which are estimates of their order (above). Where a file has measured ones,
//   it may be less.

#include <algorithm>
#include <sstream>

#include "base/nearest.h"
#include "base/user_error.h"
#include "machine/gpu.h"
#include "machine/gpu_fields.h"

namespace eutectic {

namespace {

constexpr Bytes KiB = 1024, MiB = 1024 * KiB;  // NOLINT(readability-identifier-naming): units

/** What the three architectures have in common. */
Gpu common() {
    Gpu g;
    g.shared_bytes_per_block = 48 * KiB;
    g.shared_reserved_bytes = KiB;
    g.shared_granularity_bytes = 128;
    g.special_per_cycle = 16;
    g.access_bytes_per_cycle = 128;
    return g;
}

Gpu a100() {
    Gpu g = common();
    g.name = "preset a100";
    g.capability = 80;
    g.sms = 108;
    g.hertz = 1.41e9;
    g.fmas_per_cycle = 64;
    g.shared_bytes_per_sm = 164 * KiB;
    g.l1_bytes_per_sm = 192 * KiB;
    g.l2_bytes = 40 * MiB;
    g.dram_bytes_per_second = 1.555e12;
    g.l2_bytes_per_second = 7.2e12;
    return g;
}

Gpu h100() {
    Gpu g = common();
    g.name = "preset h100";
    g.capability = 90;
    g.sms = 132;
    g.hertz = 1.98e9;
    g.fmas_per_cycle = 128;
    g.shared_bytes_per_sm = 228 * KiB;
    g.l1_bytes_per_sm = 256 * KiB;
    g.l2_bytes = 50 * MiB;
    g.dram_bytes_per_second = 3.35e12;
    g.l2_bytes_per_second = 1.01e13;
    return g;
}

Gpu h200() {
    Gpu g = h100();
    g.name = "preset h200";
    g.hertz = 1.8e9;
    g.l2_bytes = 60 * MiB;
    g.dram_bytes_per_second = 4.26e12;
    g.l2_bytes_per_second = 5.5e12;
    g.shared_latency_seconds = 1.5e-8;
    g.launch_seconds = 3.2e-6;
    return g;
}

Gpu rtx4090() {
    Gpu g = common();
    g.name = "preset rtx4090";
    g.capability = 89;
    g.sms = 128;
    g.hertz = 2.52e9;
    g.threads_per_sm = 1536;
    g.blocks_per_sm = 24;
    g.fmas_per_cycle = 128;
    g.shared_bytes_per_sm = 100 * KiB;
    g.l1_bytes_per_sm = 128 * KiB;
    g.l2_bytes = 72 * MiB;
    g.dram_bytes_per_second = 1.008e12;
    g.l2_bytes_per_second = 5e12;
    return g;
}

struct Preset {
    const char *name;
    Gpu (*make)();
};
constexpr Preset presets[] = {{"a100", a100}, {"h100", h100}, {"h200", h200}, {"rtx4090", rtx4090}};

}  // namespace

const std::vector<std::string> &gpu_preset_names() {
    static const std::vector<std::string> names = [] {
        std::vector<std::string> all;
        for (const Preset &p : presets) {
            all.emplace_back(p.name);
        }
        return all;
    }();
    return names;
}

Gpu gpu_preset(const std::string &name) {
    for (const Preset &p : presets) {
        if (name == p.name) {
            return p.make();
        }
    }
    throw UserError("The GPU \"" + name +
                    "\" is unknown: " + nearest_and_all(name, gpu_preset_names(), "known ones are") + ".");
}

std::string to_string(const Gpu &gpu) {
    std::ostringstream s;
    s.precision(10);
    for (const GpuField &f : gpu_fields()) {
        s << (&f == &gpu_fields().front() ? "" : ", ") << f.key << " " << f.get(gpu);
    }
    return s.str();
}

}  // namespace eutectic
