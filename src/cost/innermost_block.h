#pragma once

// The unrolled and vectorized loops inside the innermost serial one of a stage: straight code.

#include <cstdint>
#include <vector>

#include "cost/cost.h"

namespace eutectic {

struct Block {
    Extents vectors;  ///< per dim: how many vectors (or scalars) the block holds along it
    DimId vector_dim = -1;
    int64_t lanes = 1;
    double repeats = 1;  ///< how often the block runs
};

Block innermost_block(const NestedStage &stage);

/** How many vectors or scalars of the block differ when only `depends` dims matter. */
double distinct(const Block &block, const DimFlags &depends);

/** What is left of a part in the stage's block: a choice by a dim whose value, or phase, its code knows is
 * decided. */
ExprSummary body_in(const NestedStage &stage, const Block &block, const Part &part);

/** The share of `iterations` that is left in the block's code, which knows some phases. */
double share_in_phases(const NestedStage &stage, const Block &block, const std::vector<SomeOf> &iterations);

/** What `lanes` elements of `bytes` each take, in instructions of the machine's whole width: several, or less
 * than one, which takes half as long where a whole one takes two turns of the datapath. */
double full_instructions(double lanes, double bytes, const Machine &m);

/** Cycles by which a vector of so many lanes takes longer because some operations of `body` cost more than
 * what they are counted as, an operation or a division: of 8-bit products, say, or of integers' quotients. */
double typed_cycles(const ExprSummary &body, double lanes, const Machine &m);

/** Registers that the block lacks for its `results`, vectors of `issues` instructions each: accumulators, the
 * operand that the rows of a tile share, at least a vector of each of two operands, and a scratch register
 * have to fit; each one too many is a store and a load. 0 where it accumulates in memory anyway. (Tiles of 3
 * x 4 vectors of 256 bits, 12 accumulators, 4 of the operand, 1 for what is broadcast, with 16 registers: one
 * accumulator goes through memory, and the loop takes 14.4 cycles on AMD Zen 3, where 6 x 2 and 4 x 3
 * take 7.) */
double spilled_registers(const NestedStage &stage, const Block &block, double results, double issues,
                         const Machine &m);

/** Loads of a block that adds to sums in memory beyond one of each operand: of the sums, of values that are
 * the same in the next block, as far as no registers are left for them, and of vectors that rows of sums
 * share, once more for each row where they take more than half of the registers. (4 rows of sums, 8 terms, 2
 * vectors of 256 bits: 110 loads and stores for 64 multiply-adds, and 28 us where 4 terms take 18.) */
double loads_again(const NestedStage &stage, const Block &block, double results, double issues,
                   const Machine &m);

/** On which of `dims` dims `load` depends. */
DimFlags dims_of(const Load &load, size_t dims);

/** How far neighbours along `dim` lie apart where rows follow each other without gaps, in bytes; indices that
 * are computed do not count. */
double bytes_apart(const Load &load, DimId dim);

/** Do the lanes of a vector along `dim` read neighbours? */
bool contiguous_along(const Load &load, DimId dim);

/** Are neighbours along `dim` a few elements apart, as many at every size (Interleaving::step)? */
bool stepped_along(const Load &load, DimId dim);

/** How many elements neighbours along `dim` are apart, where code is made for that: 1 if they are contiguous,
 * 2 for every other element, as of p(2 x), 0.5 for each element twice, as of p(x / 2); 0: nobody knows, and
 * lanes are loaded one by one. `strides_known`: as NestedStage's. */
double step_along(const Load &load, DimId dim, bool strides_known);

/** The innermost loop around the block that has more than one turn, or -1. */
int loop_around(const NestedStage &stage);

/** Cycles from one turn of the block to the next that goes on with what it has computed; `spilled`: through
 * memory. */
double latency_cycles(const NestedStage &stage, const Block &block, bool spilled, const Machine &m);

/** Cycles of all the stage's iterations, on one core, for lines that others of their set have driven out of
 * the first level, where a loop steps along several buffers at once: large ones begin at the same place in a
 * page, and those beyond the set's ways are missed at every line. (Measured on an AMD EPYC of 2 cores, 32 KiB
 * of 8 ways: a nest for 4, 8 and 16 outputs of 64 Ki floats, each of an input of its own and one of all, took
 * 19, 132 and 371 us longer than with buffers that begin at different places: 4.6, 3.6 and 3.6 ns for each
 * line beyond 8.) Where the loop goes down rows that share a set, in what is read as in what is written,
 * there are so many lines of each buffer, and each is missed at every turn. (AMD Zen, two cores, sums of two
 * images of 1024 x 1024 floats, one of them turned, 4, 8, 16 and 32 rows inside the loop over vectors of 4:
 * 0, 0.8, 1.1 and 1.5 ms longer than with buffers that begin 64 bytes from each other, 14 cycles for each
 * line beyond 8; with vectors of 8 the same for each vector. Rows of what is read alone were found in the
 * second level in time. Sums along the rows of a matrix of that size, one core: 8 and 16 rows at once
 * took 2.4 and 25 ns an element.) None of this is hidden by what else is under way. */
double stream_cycles(const NestedStage &stage, const Machine &m);

}  // namespace eutectic
