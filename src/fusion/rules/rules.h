#pragma once

#include "fusion/rule.h"

namespace eutectic {

Rule inline_pointwise();
Rule fuse_on_read();
Rule fuse_on_write();

/** May `producer` be inlined into everything that reads it? Shared by the rules that inline. */
Verdict may_inline(const Graph &graph, const Placements &placements, const Site &site);

/** `placements` with `producer` inlined. A reduction that sat at the producer's tile moves to the tile of the one Func that now reads it, or
 *  back to Root where there is none. */
Placements inline_producer(const Graph &graph, const Placements &placements, FuncId producer);

/** May the reduction `func` be computed at the tile of `consumer`, as placed? */
Verdict may_compute_at_tile(const Graph &graph, const Placements &placements, FuncId func, FuncId consumer);

/** Why a Func that is not an output stays in memory, as a sentence; `weighed` is the last step about it that was not taken. */
std::string keep_materialized(const Graph &graph, const Placements &placements, FuncId func, const Step *weighed);

}  // namespace eutectic
