// How many registers the tile of a sum needs beyond those that there are.

#include <algorithm>

#include "cost/innermost_block.h"

namespace eutectic {

namespace {

/** Vectors of an operand that stay in registers while the rows of a tile go by, one after the other: those
 * that another row reads, too. */
double held_vectors(const NestedStage &stage, Block tile) {
    double points = 1;
    for (const DimId d : tile.vectors.ids()) {
        if (stage.work->dims[d].reduction) {
            tile.vectors[d] = 1;  // terms that are unrolled come one after the other
        }
        points *= static_cast<double>(tile.vectors[d]);
    }
    double held = 0;
    for (const Load &load : stage.work->loads) {
        const double n = distinct(tile, dims_of(load, tile.vectors.size()));
        const bool in_vectors = tile.vector_dim >= 0 && load.access.depends_on(tile.vector_dim);
        held += in_vectors && n < points ? n : 0;
    }
    return held;
}

/** Does no loop around the block, up to the innermost that runs, change it? */
bool hoisted(const NestedStage &stage, const Load &load) {
    const int l = loop_around(stage);
    return l >= 0 && stage.nest.loops[l].dim >= 0 && !load.access.depends_on(stage.nest.loops[l].dim);
}

}  // namespace

double loads_again(const NestedStage &stage, const Block &block, double results, double issues,
                   const Machine &m) {
    if (!stage.work->accumulates || stage.accumulates_in_registers || !stage.work->scattered_by.empty()) {
        return 0;
    }
    double kept = 0, vectors = 0;
    for (const Load &load : stage.work->loads) {
        const double n = distinct(block, dims_of(load, block.vectors.size()));
        const bool in_vectors = block.vector_dim >= 0 && load.access.depends_on(block.vector_dim);
        kept += !in_vectors && hoisted(stage, load) ? n : 0;
        vectors += in_vectors ? n * issues : 0;
    }
    const double rows = results / issues;  // of sums, one after the other
    const double room = m.vector_registers;
    const double beside = rows > 1 ? vectors : issues;
    const double beyond = std::max(0.0, kept + beside + issues - room);
    return results + std::min(kept, beyond) + (vectors > room / 2 ? vectors * (rows - 1) : 0);
}

double spilled_registers(const NestedStage &stage, const Block &block, double results, double issues,
                         const Machine &m) {
    if (!stage.work->accumulates || !stage.accumulates_in_registers) {
        return 0;
    }
    const double operands = std::max(2.0, held_vectors(stage, block) * issues);
    return std::max(0.0, results + operands + issues - m.vector_registers);
}

}  // namespace eutectic
