#pragma once

#include <optional>
#include <string>

#include "base/typed_operation.h"
#include "base/units.h"
#include "machine/dots.h"
#include "machine/experiment.h"
#include "machine/gpu.h"
#include "machine/libraries.h"

namespace eutectic {

/** What the cost model needs to know of a Halide Target, as plain data (src/machine does not see Halide). */
struct TargetDescription {
    std::string arch = "x86";  ///< "x86" | "arm" | "riscv" | "other"
    int vector_bits = 128;     ///< widest vector that the target's features allow
    bool fused_multiply_add = false;
    std::string gpu = {};        ///< "cuda" | "opencl" for kernels on a device; empty: none
    std::string processor = {};  ///< the one that the target names, as processors.h calls it:
                                 ///< "sapphire_rapids"; empty: any of its family
    Dots dots = {};
};

/** One level of cache. Bandwidth is what one core reads from this level when the levels before it miss. */
struct CacheLevel {
    Bytes bytes = 0;  ///< capacity that one core may use (a shared level counts its share)
    double bytes_per_second = 0;
};

/** A CPU as the cost model sees it. Every rate is for one core unless it says otherwise.
 *
 *  No plan depends on a number that is not here. Where the numbers come from: `name` says it. Presets are
 * data files of processors/ (processors.h); `machine=host` replaces what /proc and /sys tell (cores, caches)
 * and keeps the preset's rates; `machine=FILE` is a calibration. Each number has its line in fields.cpp. */
struct Machine {
    std::string name;
    int cores = 1;
    int vector_bits = 128;
    int datapath_bits = 128;  ///< what is executed at once: a wider vector takes as many turns as it has such
                              ///< parts, a narrower one takes a whole turn
    int vector_registers = 16;        ///< architectural vector registers
    double hertz = 3e9;               ///< sustained clock
    double vector_ops_per_cycle = 2;  ///< full-width add, multiply, min, max or fused multiply-add issues
    double fma_latency_cycles = 4;    ///< of a dependent chain of accumulations
    /** Of a dependent chain of integers: of every processor in src/machine/processors. (AMD Zen 4: running
     * sums along rows of 32-bit integers 0.50 ns a point, of floats 0.86, of what is multiplied first 1.88.)
     */
    double integer_latency_cycles = 1;
    double loads_per_cycle = 2;       ///< full-width loads from the first level
    double broadcasts_per_cycle = 2;  ///< loads of one element into all lanes
    double stores_per_cycle = 1;
    double store_forwarding_cycles = 10;  ///< from a store to a load of the same address
    double loop_cycles = 1;       ///< increment, compare and branch of a loop, as far as they are not hidden
    double division_cycles = 16;  ///< one full-width float division, reciprocal throughput
    TypedCycles typed_cycles =
        {};                  ///< of a full-width vector, by TypedOperation; 0: what any operation takes
    double exp_cycles = 12;  ///< one full-width float exp or log, inlined as a polynomial
    /** Of exp_cycles, what one takes where a vector is two registers: their chains of operations are under
     * way together. (AMD Zen 3, two cores, AVX2: log(1 + exp(x)) of 4 Mi floats 2.50 instead of 3.00 ms, a
     * sum of 1 Mi exps in as many partial results 187 instead of 222 us.) */
    double paired_exp_share = 0.84;
    double libm_seconds =
        1.2e-8;  ///< one scalar call into libm (tanh, sin, every double-precision transcendental)
    double gather_cycles_per_lane = 1.5;  ///< of a vector load whose lanes are not contiguous
    double index_cycles_per_lane =
        0.9;  ///< more, where each lane's place is computed, and has to come out of a vector first
    double scatter_cycles_per_lane = 0.8;  ///< of a vector store whose lanes are not contiguous
    double narrow_lane_cycles = 1;  ///< more, of the units that arithmetic needs, where a lane of one byte is
                                    ///< loaded or stored by itself: it is put into a vector or taken out of
                                    ///< one; half as much for two bytes
    double conflict_cycles_per_lane = 6;  ///< the same, when rows lie a multiple of conflict_bytes apart:
                                          ///< they share the few places of one set of the first level
    Bytes conflict_bytes =
        4096;               ///< sets of the first level times its line: addresses so far apart share a set
    int conflict_ways = 8;  ///< lines that a set holds
    double any_pitch_share =
        0;  ///< share of calls whose buffers are taken to have rows a multiple of conflict_bytes apart,
            ///< though the estimates do not (slices of larger arrays)
    int mapped_pages = 1536;       ///< pages whose addresses a core caches (the second level of its TLB)
    double unmapped_cycles = 20;   ///< a load from a page that is not among them
    int near_pages = 64;           ///< those of them that it has at once (the first level of its TLB)
    double far_page_cycles = 1.4;  ///< a load from another of them
    CacheLevel l1, l2, l3;
    int prefetched_runs = 16;          ///< runs of lines that a core goes along in turn and still foresees
    Seconds l2_run_seconds = 1.7e-10;  ///< until the first line of a run comes from the second level: not
                                       ///< hidden by arithmetic
    Seconds l2_conflict_seconds = 5.1e-10;  ///< more, where such runs share sets of the first level: what
                                            ///< has been fetched ahead is driven out
    Seconds l3_run_seconds =
        3.4e-9;  ///< until the first line of a run comes from the third level, beyond its
                 ///< share of the bandwidth, where iterations do not wait for each other
    Seconds memory_run_seconds = 2.9e-9;         ///< the same from memory, beyond that of the third level
    Seconds memory_short_line_seconds = 2.3e-9;  ///< more for each line from memory in a run shorter than a
                                                 ///< page: what a core fetches ahead ends with the page
    double instruction_bytes =
        7;  ///< of code, a vector instruction (mean over kernels of the generators with AVX-512)
    // Of the host that compiles: Halide and LLVM, for one nest of loops, and for what straight code has of
    // vector instructions (fitted to 184 plans of the generators on an AMD EPYC, November 2026).
    Seconds compile_nest_seconds = 0.036;
    Seconds compile_operation_seconds = 2.5e-4;
    Seconds compile_exp_seconds = 0.015;   ///< one exp or log, a polynomial
    Seconds compile_guard_seconds = 1e-3;  ///< one operation of a boundary condition
    Seconds compile_load_seconds = 4.5e-3;
    Seconds compile_lane_seconds = 8e-3;  ///< one lane of a gather
    double compile_cut_seconds = 0.01;    ///< what cutting a loop at its tail adds
    double masked_share = 0.5;          ///< of a loop's time, how much longer it takes with masks throughout
    double partial_result_gain = 0.01;  ///< share of a sum's computing that twice as many partial results,
                                        ///< which are twice the code, have to save
    double compile_share = 0.01;  ///< of a run's time, what a second of compiling has to save. Chosen: of
                                  ///< eight generators whose plans it changes four are faster in less code,
                                  ///< three as fast, one is slower (box_blur)
    double compile_weight = 0;    ///< seconds of a run that one of compiling counts as; no property of a
                                  ///< machine: searches set it (fusion/search/compile_limit.h)
    Bytes line_bytes = 64;        ///< a cache line: the least that moves
    double memory_bytes_per_second = 1e10;  ///< all cores together, streaming
    double usable_cache =
        0.5;  ///< share of a cache that holds what is used again; streams and conflicts take the rest
    double lone_core_share = 0.5;  ///< of the memory bandwidth, what one core can draw by itself
    double store_transfers =
        2;  ///< what a stored byte moves, in bytes that are read: its line may be read before it is written
    double overlap_loss = 0.1;      ///< share of the traffic's time that is felt although arithmetic hides it
    Seconds task_seconds = 4e-7;    ///< dequeue one task of a parallel loop
    Seconds launch_seconds = 4e-6;  ///< wake the threads of a parallel loop and wait for the last one
    Seconds shared_turn_seconds = 8e-9;  ///< one turn of loops that several Funcs have in common: finding its
                                         ///< buffers again, and the bounds of what they hold
    Bytes stack_buffer_bytes = 32768;    ///< largest buffer of such a turn that is on a thread's stack
    Seconds allocation_seconds =
        1e-7;  ///< allocate and free one heap buffer whose pages the process has already
    Seconds fresh_page_seconds = 2.5e-7;  ///< first write to a page that the process does not have
    Bytes page_bytes = 4096;
    Bytes thread_kept_bytes = 1032;    ///< freed pieces up to this stay with the thread, and are no part of
                                       ///< what follows (glibc's malloc.c: MAX_TCACHE_SIZE)
    Bytes trimmed_bytes = 128 * 1024;  ///< freed memory beyond this, and beyond twice the largest buffer,
                                       ///< goes back to the system (glibc: M_TRIM_THRESHOLD)
    Bytes heap_pad_bytes =
        128 *
        1024;  ///< what the process asks for beyond its need, and keeps when it gives back (glibc: M_TOP_PAD)
    Bytes kept_allocation_bytes = Bytes{32} << 20;  ///< buffers up to this size keep their pages when they
                                                    ///< are freed (glibc: DEFAULT_MMAP_THRESHOLD_MAX)

    std::optional<LibraryRates> library;  ///< of the one that products may be computed by (library=); none:
                                          ///< no plan has such calls

    Dots dots;  ///< of the target

    bool arena = false;  ///< temporaries come from an arena: with_arena()

    std::optional<Gpu> gpu;  ///< where the kernels run; none: on the CPU

    Experiment experiment;  ///< no property of a machine: what is changed to see what becomes of plans

    /** Lanes of a vector of elements of `bytes_per_element`. */
    int lanes(int bytes_per_element) const;
    /** Are there loads and stores of some lanes of such a vector alone? (Of x86, AVX has them for four and
     * eight bytes, AVX-512 for all.) */
    bool masks(int bytes_per_element) const;
};

/** The machine that follows from the target and `parallelism` alone: the same on every build host. It is the
 * first of the target's family (processors.h). */
Machine machine_from_target(const TargetDescription &target, int parallelism);

/** As machine_from_target(), with cores and cache sizes read from a Linux host's files below `root` ("/"
 * outside tests). A file that is missing leaves the preset's value. `cores` is the smaller of what is found
 * and `parallelism`, if that is positive. */
Machine machine_from_host(const TargetDescription &target, int parallelism, const std::string &root = "/");

/** `machine` with the device that `gpu` names (choose_gpu(); empty: default_gpu) where the target has kernels
 * on one. Throws UserError, also when a GPU is named and the target has none. */
Machine with_gpu(Machine machine, const TargetDescription &target, const std::string &gpu);

/** `machine` for kernels whose temporaries come from an arena (src/arena), which keeps the pages of whatever
 * is freed: none is mapped anew. A block from it that is freed again costs what one of the heap's does whose
 * pages are there (44 ns on an AMD EPYC, 42 by glibc 2.36). */
Machine with_arena(Machine machine);

/** One line for people and for hashes: every number that a plan may depend on. */
std::string to_string(const Machine &machine);

}  // namespace eutectic
