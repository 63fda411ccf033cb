#pragma once

#include <limits>
#include <string>
#include <vector>

#include "base/units.h"
#include "cost/nest.h"
#include "features/work.h"
#include "machine/machine.h"

namespace eutectic {

/** Predicted seconds, in parts that add up. Compute and memory are those of one core's share of the work when
 * it is spread evenly; memory is the time of traffic that compute does not hide; idle is what uneven
 * spreading adds; launch is starting parallel loops and tasks, fetching code, and allocating buffers. */
struct Cost {
    Seconds compute = 0, memory = 0, idle = 0, launch = 0;
    Seconds compiling = 0;  ///< Machine::compile_weight times the seconds of compiling: 0 unless a limit on
                            ///< these makes them count
    Seconds total() const {
        return compute + memory + idle + launch + compiling;
    }
    Cost &operator+=(const Cost &other);
};
std::string to_string(const Cost &cost);

/** A stage together with the loops that run it. */
struct NestedStage {
    SharedWork work;
    Nest nest = {};
    /** Funcs whose values this stage finds in registers or in the first-level cache, because they are
     * computed inside the same nest. */
    std::vector<FuncId> local = {};
    /** Its own result stays in registers or the first-level cache for a stage of the same nest. */
    bool stores_locally = false;
    /** The accumulators of an update stay in registers across its reduction loops. */
    bool accumulates_in_registers = false;
    /** Funcs, perhaps this one, whose values one block of an enclosing Func's loops has computed or read
     * before; the outermost `block_loops` loops are that Func's, and one block touches `block_bytes` in all:
     * whoever holds that much serves the block. */
    std::vector<FuncId> in_block = {};
    size_t block_loops = 0;
    double block_bytes = 0;
    /** On a GPU: how many threads of a warp store to the same bank of shared memory at once; they take turns.
     */
    double bank_conflicts = 1;
    /** Of `local`, those that are in a GPU's shared memory; their indices are in the order in which they lie
     * there. With the stage's own Func among them, other threads wait for what it stores. */
    std::vector<FuncId> in_shared = {};
    /** Of `local`, those whose values a GPU's thread has in registers: reading them, and writing them, takes
     * nothing of its own. */
    std::vector<FuncId> in_registers = {};
    /** On a GPU: threads share the terms of its update, and each adds its own by an atomic operation to one
     * of the results, which have so many bytes together. 0: they do not. */
    Bytes atomic_bytes = 0;
    /** The lanes of a vector of its results do not lie side by side. */
    bool stores_apart = false;
    /** They lie a few elements apart, and other vectors of the same block between them: stored side by side,
     * after shuffling. */
    bool stores_stepped = false;
    /** Its code knows the strides of interleaved buffers: Nest::whole asks for them. */
    bool strides_known = false;
};

/** Bytes that a stage moves past each cache level, all cores together. */
struct Traffic {
    double beyond_l1 = 0, beyond_l2 = 0, beyond_l3 = 0;
    /** In how many pieces each of them comes: what iterations go over one after the other, side by
     * side in memory. No prefetcher knows where the next one begins. */
    double runs_beyond_l1 = 0, runs_beyond_l2 = 0, runs_beyond_l3 = 0;
    double short_lines_beyond_l3 = 0;  ///< lines of the last of them, in runs shorter than a page
    double conflicts_beyond_l1 = 0;    ///< of the first of them, those that share sets of the first level
};

/** Are there loads of vectors, neighbours in memory but for a clamp? Its loops are then cut where that makes
 * whole vectors of them, and no others: policies see to that. */
bool clamped_vectors(const NestedStage &stage);

/** Does a guarded tail of its vectors go lane by lane, a jump for each? A mask is for what lies side by side
 * alone, and of elements that the machine has masks for: loads elsewhere, or of others, are one a lane. */
bool tails_by_lanes(const NestedStage &stage, const Machine &machine);

/** Cycles of all the stage's iterations on one core that finds everything in its first-level cache. */
double compute_cycles(const NestedStage &stage, const Machine &machine);

/** Cycles of arithmetic on values in registers, in whole vectors of elements of so many bytes: `all` that is
 * done. */
double arithmetic_cycles(const ExprSummary &all, int element_bytes, const Machine &machine);

/** Bytes of the stage's innermost block as code: its vector instructions. Run from a cache of any level they
 * issue as fast as from the first (measured with blocks of up to 130,000 multiply-adds: within 8 %), but each
 * call fetches them anew. */
double code_bytes(const NestedStage &stage, const Machine &machine);

/** What Halide and LLVM are estimated to take for the innermost block of the stage, in all its versions
 * (gathers are a load a lane), and for the loops of a nest of such stages. Fitted to the CPU time of
 * compiling 184 plans of the generators, unfused ones among them: nine in ten take 0.4 to 1.5 of it. */
Seconds compile_seconds(const NestedStage &stage, const Machine &machine);
Seconds compile_seconds(const std::vector<NestedStage> &stages, const Machine &machine);

/** From footprints: at each level, the outermost loop whose inner working set fits keeps its data there;
 *  what enclosing loops bring in again is traffic. (The model of Wolf and Lam, "A data locality optimizing
 *  algorithm", PLDI 1991, section 3, with halos.) `working_set`: all that the nest touches, in bytes with the
 *  stage's own. A level that holds it moves nothing; one that holds the stage's own alone
 *  is passed once by each byte, for the others drive it out until the next run. Of the cores' common level
 *  the share of them that it holds is there for the next run all the same. */
Traffic memory_traffic(const NestedStage &stage, const Machine &machine, double working_set = 0);

/** Bytes that the stages touch, what several of them do once. */
double bytes_touched(const std::vector<NestedStage> &stages, const Machine &machine);

/** Allocating, touching and freeing a heap buffer: beyond what the process keeps, every page of every call is
 * a new one. An arena keeps all (Machine::arena). */
Seconds allocation_cost(Bytes bytes, const Machine &machine);

/** What it costs that the buffers of one run together, in the order in which they are allocated, are more
 * than the allocator keeps when they are freed: their pages are mapped again in the next. As glibc's does it
 * (mallopt(3)): the heap grows by what is lacking and M_TOP_PAD; freed memory beyond M_TRIM_THRESHOLD goes
 * back, but for M_TOP_PAD; that threshold is twice the largest buffer, once one has exceeded the first one
 * (M_MMAP_THRESHOLD is dynamic). Measured by counting page faults of malloc and free in turns, in bytes:
 * 861,184 and 729,000 none; 861,184 and 740,000 359; 300,000, 100,000 and 300,000 139; 90,000 twice 12;
 * 200,000 and 80,000 none. `other`: the largest buffer besides, which the process frees at other times.
 * Pieces of up to Machine::thread_kept_bytes (MAX_TCACHE_SIZE) stay with the thread and do not count. Nothing
 * for what an arena keeps (Machine::arena). */
Seconds trimming_cost(const std::vector<Bytes> &buffers, const Machine &machine, Bytes other = 0);

/** Price of stages that run inside one loop nest: the first one's outer loops are the nest's. Where computing
 * alone takes at least `limit`, what the nest competes with, the cost is infinite and nothing else is looked
 * at. */
Cost price(const std::vector<NestedStage> &stages, const Machine &machine,
           Seconds limit = std::numeric_limits<double>::infinity());

}  // namespace eutectic
