#pragma once

// What vectors take whose lanes lie apart, or have the same element: gathers, loads with steps, scatters.

#include "cost/cost.h"
#include "cost/innermost_block.h"

namespace eutectic {

/** Cycles of the loads themselves, and of operations that wait for the units that arithmetic needs. */
struct OfLoad {
    double loads = 0, shuffles = 0;
};

/** Of one of a load's taps, for all of the block. */
OfLoad load_cycles(const NestedStage &stage, const Load &load, const Block &block, const Machine &m);

/** Of `vectors` of results, or scalars, where lanes are stored one by one, or at a place that is computed:
 * what lies there, an update adds to. Lanes that are put into vectors and taken out of them wait for each
 * other: their stores count as loads. 0 where neither is so. (AMD Zen, one core at 2.5 GHz, vectors of 8
 * floats: g(x, i(x, r)) += v(x, r) 3.2 cycles a lane, whichever of x and r is inside, and whether i is the
 * same in each turn; of that the gather 1.5, and a store down a column 1.1.) */
OfLoad scattered_store_cycles(const NestedStage &stage, const Block &block, double vectors, const Machine &m);

/** Do neighbours along `dim` lie a multiple of conflict_bytes apart, in one set of the first level? */
bool same_set(const Load &load, DimId dim, const Machine &m);

}  // namespace eutectic
