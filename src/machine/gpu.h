#pragma once

#include <string>
#include <vector>

#include "base/units.h"

namespace eutectic {

/** A GPU as the cost model sees it. Rates are those of the whole device unless they say otherwise; an SM is
 * what OpenCL calls a compute unit.
 *
 *  No plan depends on a number that is not here. Presets are documented in gpu_presets.cpp; a file
 * (gpu_fields.h) replaces them. Each number has its line in gpu_fields.cpp. */
struct Gpu {
    std::string name;
    int capability = 0;  ///< of CUDA, times ten: 80 is 8.0; 0: none, or not known
    int sms = 1;
    int warp_size = 32;               ///< threads that issue together
    int threads_per_block = 1024;     ///< at most
    int threads_per_sm = 2048;        ///< at once
    int blocks_per_sm = 32;           ///< at once
    int registers_per_sm = 65536;     ///< of 32 bits
    int registers_per_block = 65536;  ///< at most
    int registers_per_thread = 255;   ///< at most: what more a thread needs is spilled
    int cuda_runtime_registers = 64;  ///< of a thread: with so many at most Halide's runtime has the driver
                                      ///< compile kernels for CUDA (gpu_presets.cpp)
    int register_granularity = 256;   ///< a warp's registers are allocated in such pieces
    int partitions_per_sm =
        4;  ///< parts of an SM that each have a share of its registers and issue a warp's instruction a cycle
    Bytes shared_bytes_per_sm = 0;  ///< shared memory of all its blocks
    Bytes shared_bytes_per_block =
        0;  ///< at most, without asking the driver for more (Halide's runtime does not ask)
    Bytes shared_reserved_bytes = 0;     ///< what the driver takes of it for each block
    Bytes shared_granularity_bytes = 1;  ///< a block's shared memory is allocated in such pieces
    Bytes l1_bytes_per_sm = 0;           ///< together with shared memory: one array serves both
    Bytes l2_bytes = 0;
    double hertz = 1e9;  ///< sustained clock
    double dram_bytes_per_second = 1e11;
    double l2_bytes_per_second = 1e12;
    double fmas_per_cycle = 64;     ///< float32 multiply-adds an SM starts in a cycle
    double special_per_cycle = 16;  ///< float32 exp2, log2, reciprocal and their like an SM starts in a cycle
    double access_bytes_per_cycle = 128;    ///< what an SM loads from its first level, or from shared memory
    Bytes sector_bytes = 32;                ///< the least that moves between caches
    double atomics_per_cycle = 32;          ///< atomic operations on 32 bits that the second level does in a
                                            ///< cycle, for all SMs, where they are on different sectors
    Seconds dram_latency_seconds = 6e-7;    ///< from a load that misses every cache to its value
    Seconds shared_latency_seconds = 2e-8;  ///< the same from shared memory
    int shared_banks = 32;  ///< of shared memory, 4 bytes wide: a warp's accesses to one bank take turns
                            ///< (CUDA C++ Programming Guide, 19.5.3: 32 since capability 2.0)
    Seconds barrier_seconds = 2e-8;     ///< until all threads of a block have met, beyond their work (from a
                                        ///< documented rate: gpu_presets.cpp)
    Seconds launch_seconds = 3e-6;      ///< of one kernel after another, on a device that is kept busy
    Seconds allocation_seconds = 1e-6;  ///< of one buffer that the runtime has kept from the call before
    // What Halide's kernels are as code: instructions of a thread, beside the additions, multiplications and
    // comparisons that are counted one by one, and its registers. Estimates, the same for every preset;
    // sources in gpu_presets.cpp.
    double division_instructions = 8;                    ///< of a float division, beside its reciprocal
    double transcendental_instructions = 10;             ///< of exp or log of float, beside exp2 or log2
    double approximate_division_instructions = 4;        ///< the same of one within 2 units in the last place
    double approximate_transcendental_instructions = 1;  ///< the same of approximate exp and log
    double libm_instructions = 40;          ///< of tanh, sin, cos and what is made of double precision
    double libm_special_values = 2;         ///< what such a call takes of special_per_cycle
    double access_instructions = 2;         ///< of addresses, for each load or store
    double loop_instructions = 3;           ///< of each turn of a loop inside a thread
    double instruction_latency_cycles = 4;  ///< from one instruction to the next that needs it
    double turns_under_way = 4;             ///< of a loop, whose loads a thread has asked for at once
    int barriers_a_step = 3;                ///< of a block that copies to shared memory step by step
    Bytes widest_load_bytes = 16;           ///< of one load or store
    int spare_registers = 21;    ///< of those that follow, so many a kernel does without, before any is
                                 ///< spilled, where a thread may have no more
    int base_registers = 16;     ///< of a thread that does next to nothing
    int load_registers = 2;      ///< of each load or store: an address and a value, as far as not shared
    int point_registers = 2;     ///< the same of each further value that a thread keeps at once
    int address_registers = 16;  ///< of a thread that keeps values without an address for each
    double row_value_registers = 1.25;  ///< of each value of a row that a thread keeps
    double split_sum_gain = 3;  ///< times: what a second kernel for the chunks of a sum has to save of
                                ///< the predicted seconds, which rest on the latencies above
    bool warp_shuffles =
        false;  ///< the language has loops over the lanes of a warp (Halide's gpu_lanes): CUDA's has
    bool any_shared_atomics = false;  ///< atomic operations on shared memory may be others than additions:
                                      ///< CUDA's (Halide 21 writes them for OpenCL to a wrong address)
    bool device_addresses =
        false;  ///< what the host knows of a buffer on the device is its address: CUDA's is (OpenCL's is not)
};

/** What a kernel asks of an SM, for one block. */
struct KernelResources {
    int threads = 0;
    int registers = 0;  ///< of a thread
    Bytes shared_bytes = 0;
};

/** How many of its blocks an SM holds at once, and what keeps it from holding more. */
struct Occupancy {
    int blocks = 0;    ///< 0: the kernel cannot be launched
    double share = 0;  ///< of the warps that an SM can hold
    enum class Limit {
        threads,
        blocks,
        registers,
        shared_memory
    } limit = Limit::threads;  ///< the first of these that allows no more
};
const char *to_string(Occupancy::Limit limit);

/** Blocks of an SM follow from what each asks for: the least of
 *    threads_per_sm / warp_size over the block's warps,
 *    blocks_per_sm,
 *    partitions * (registers_per_sm / partitions / a warp's registers, rounded up to the granularity) over
 * the block's warps, shared_bytes_per_sm over the block's shared memory with what is reserved, rounded up to
 * the granularity; 0 when one block exceeds a limit of its own (its registers are counted for whole rows of
 * partitions, as the hardware checks them). Source: NVIDIA's cuda_occupancy.h, which
 *  tests/machine/test_cuda_occupancy.cpp compares it with. */
Occupancy occupancy(const Gpu &gpu, const KernelResources &kernel);

/** "a100", "h100", "h200", "rtx4090". */
const std::vector<std::string> &gpu_preset_names();

/** One of them. Throws UserError for another name. */
Gpu gpu_preset(const std::string &name);

/** The preset for a target that does not say which device it is for: an A100, whose capability 8.0 is the one
 * that most of the devices in data centres can run code of. */
constexpr const char *default_gpu = "a100";

/** One line for people and for hashes: every number. */
std::string to_string(const Gpu &gpu);

}  // namespace eutectic
