#pragma once

#include "fusion/plan/plan.h"

namespace eutectic {

/** The three numbers of an EdgeDecision (report.h says what they are). */
Bytes unfused_bytes(const Graph &graph, FuncId producer, FuncId consumer);

/** With the producer in memory, and the consumer where `placements` has it. */
Bytes fused_bytes(const Graph &graph, const Placements &placements, FuncId producer, FuncId consumer);

/** An inlined producer is evaluated once for every point of the loops that its coordinates depend on, since
 * along the others a compiler shares it; in a block, once in each block that needs it; at a tile, and in
 * memory, never twice, but for sums in strips of its rows, which recompute it. */
double recomputed_operations(const Graph &graph, const FusionPlan &plan, FuncId producer, FuncId consumer);

/** Of the sums that are summed up in strips of the rows of `producer` and recompute its values, those that
 * would read them through `consumer`: itself, or one that is inlined. */
std::vector<FuncId> sums_that_recompute(const Graph &graph, const Placements &placements, FuncId producer,
                                        FuncId consumer);

}  // namespace eutectic
