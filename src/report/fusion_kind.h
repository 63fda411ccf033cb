#pragma once

#include "fusion/plan/plan.h"

namespace eutectic {

/** How a Func and one that reads it are fused, in the field's words. It follows from where the plan has both
 * and from what they do, never from names. */
enum class FusionKind {
    none,          ///< through memory
    element_wise,  ///< in one expression, each point of the reader from one point of the producer
    view,          ///< in one expression, where the producer computes nothing: it says which points are read
    producer_consumer,  ///< in one expression, each point of the reader from several or from computed points
    into_reduction,     ///< in the expression of the reader's terms (a prologue)
    epilogue,  ///< the reader takes up the results of a reduction from the tile in which they are made
    loop,      ///< the producer is computed in a loop of the reader's nest, tile by tile
    joint      ///< in memory, and in the same nest as the reader
};

/** "element-wise", "view", "producer-consumer", "into a reduction", "epilogue", "loop", "joint", "none". */
const char *to_string(FusionKind kind);

FusionKind fusion_kind(const Graph &graph, const Placements &placements, FuncId producer, FuncId consumer);

}  // namespace eutectic
