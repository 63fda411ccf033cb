// What the turns of a loop wait for that go on with the same results.

#include <algorithm>

#include "cost/innermost_block.h"

namespace eutectic {

namespace {

/** Does the innermost loop around the block go on with the same results? */
bool next_waits(const NestedStage &stage) {
    const int l = loop_around(stage);
    return l < 0 || stage.nest.loops[l].dim < 0 || stage.work->dims[stage.nest.loops[l].dim].reduction;
}

/** Is the innermost loop that of a recurrence along rows, point by point? A compiler then keeps what one
 * iteration stores for the next in a register. */
bool goes_along_chain(const NestedStage &stage, const Block &block) {
    const int l = loop_around(stage);
    const auto single = [](int64_t n) { return n == 1; };
    return stage.work->chain && l >= 0 && stage.nest.loops[l].dim == stage.work->chain->dim &&
           block.lanes == 1 && std::all_of(block.vectors.begin(), block.vectors.end(), single);
}

/** From one iteration of it to the next. */
double chain_cycles(const Chain &chain, const Machine &m) {
    return chain.operations * (chain.integers ? m.integer_latency_cycles : m.fma_latency_cycles);
}

/** How many terms of each result a block has, one after the other. */
double terms_of(const NestedStage &stage, const Block &block) {
    double terms = 1;
    for (const DimId d : block.vectors.ids()) {
        terms *= stage.work->dims[d].reduction ? static_cast<double>(block.vectors[d]) : 1;
    }
    return terms;
}

/** From a block to the next with the same results: the turns of loops inside the innermost one over terms. */
double blocks_between(const NestedStage &stage) {
    double turns = 1;
    for (size_t l = stage.nest.loops.size(); l-- > 0;) {
        const Loop &loop = stage.nest.loops[l];
        if (loop.dim >= 0 && !is_unrolled(loop.kind) && stage.work->dims[loop.dim].reduction) {
            break;
        }
        turns *= is_unrolled(loop.kind) ? 1 : static_cast<double>(trips(stage.nest, l, stage.work->dims));
    }
    return turns;
}

}  // namespace

double latency_cycles(const NestedStage &stage, const Block &block, bool spilled, const Machine &m) {
    if (!stage.work->accumulates || !stage.work->scattered_by.empty()) {
        return 0;
    }
    // Where the next block accumulates into other results it need not wait for this one, but for the one that
    // had the same.
    if (!next_waits(stage)) {
        return stage.accumulates_in_registers
                   ? 0
                   : (terms_of(stage, block) * m.fma_latency_cycles + m.store_forwarding_cycles) /
                         blocks_between(stage);
    }
    if (goes_along_chain(stage, block)) {
        return chain_cycles(*stage.work->chain, m);
    }
    // Each result is a chain of dependent accumulations; through memory, a spilled one's too, it also waits
    // for the store to be forwarded.
    const bool in_registers = stage.accumulates_in_registers && !spilled;
    return m.fma_latency_cycles + (in_registers ? 0 : m.store_forwarding_cycles);
}

}  // namespace eutectic
