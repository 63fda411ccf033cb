#pragma once

// What a stage's loops make of it on a GPU: blocks of threads, and what a block or a lane of them reads.

#include <cstdint>
#include <vector>

#include "cost/cost.h"

namespace eutectic {

/** Is each of its iterations a thread, be it called so or a lane of a warp? */
bool is_thread(const Loop &l);

/** Does a thread compute its points side by side? */
bool at_once(const Loop &l);

/** Iterations of those loops of `s` that `which`, a predicate of a Loop, picks. */
template<typename Which>
double trips_of(const NestedStage &s, Which &&which) {
    double n = 1;
    for (size_t l = 0; l < s.nest.loops.size(); l++) {
        n *= which(s.nest.loops[l]) ? static_cast<double>(trips(s.nest, l, s.work->dims)) : 1;
    }
    return n;
}

/** The same of a loop over points of the stage: others repeat what a compiler moves out of them. */
bool points_at_once(const Loop &l);

/** Threads of a block along each of its axes, the one of neighbours first, as threads_of() has them. */
std::vector<int> shape_of_block(const std::vector<NestedStage> &stages);

/** How many threads of a block compute each point: those of loops around the stage that do not go over any of
 * its dims. */
double redundant_threads(const NestedStage &s);

/** Points in each dim that one block covers. */
Extents tile_of_block(const NestedStage &s);

/** Points of a tile of that size. */
double points_of_tile(const Extents &tile);

/** The dim that neighbouring threads differ in: the innermost loop over threads that takes more than one
 * turn; -1: none. */
DimId thread_dim(const NestedStage &s);

/** How many points one load or store of `access` has: those of a vector along its first dimension, as far as
 * one instruction takes them; 1: a point. */
double points_of_vector(const NestedStage &s, const Access &access, int bytes_per_point, const Gpu &g);

/** Bytes that a lane's load moves through the first level: its own, a sector, or a share of one that a whole
 * warp reads. */
double bytes_of_lane(const NestedStage &s, const Access &access, int bytes_per_point, const Gpu &g);

/** What updates of a block take that are one atomic operation each. */
struct AtomicUpdates {
    double instructions = 0, first_level_bytes = 0, l2_bytes = 0;
    double results_bytes = 0;  ///< in memory, whatever the blocks
    Seconds seconds = 0;       ///< of the second level
};

/** `points` of them, of `s`, on memory: those on one sector take turns, so that few results are a few
 * sectors' worth; or `in_shared` memory, where lanes of a warp that meet in a bank take turns. */
AtomicUpdates atomic_updates(const NestedStage &s, double points, bool in_shared, const Gpu &g);

/** Distinct bytes of `load` in one block's tile, in whole sectors. */
double block_bytes(const Load &load, const Extents &tile, const Gpu &g);

}  // namespace eutectic
