// How many registers the tile of a sum needs beyond those that there are.

#include <algorithm>

#include "cost/innermost_block.h"

namespace eutectic {

namespace {

/** Vectors of an operand that stay in registers while the rows of a tile go by, one after the other: those
 * that another row reads, too. */
double held_vectors(const NestedStage &stage, const Block &block) {
    // Terms that are unrolled come one after the other.
    DimFlags tile(block.vectors.size());
    for (const DimId d : tile.ids()) {
        tile[d] = !stage.work->dims[d].reduction;
    }
    double held = 0;
    for (const Load &load : stage.work->loads) {
        DimFlags depends = dims_of(load, block.vectors.size());
        for (const DimId d : depends.ids()) {
            depends[d] = depends[d] && tile[d];
        }
        const double n = distinct(block, depends);
        const bool again = block.vector_dim >= 0 && depends[block.vector_dim] && n < distinct(block, tile);
        held += again ? n : 0;
    }
    return held;
}

}  // namespace

double spilled_registers(const NestedStage &stage, const Block &block, double results, double issues,
                         const Machine &m) {
    if (!stage.work->accumulates || !stage.accumulates_in_registers) {
        return 0;
    }
    const double operands = std::max(2.0, held_vectors(stage, block) * issues);
    return std::max(0.0, results + operands + issues - m.vector_registers);
}

}  // namespace eutectic
