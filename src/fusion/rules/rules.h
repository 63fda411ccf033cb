#pragma once

#include "fusion/rule.h"

namespace eutectic {

Rule inline_pointwise();
Rule fuse_on_read();
Rule fuse_on_write();
Rule tile_producer();
Rule multiply_by_reciprocal();
Rule write_together();
Rule divide_after_reduction();
Rule materialize();

/** May `func` live anywhere but at Root? Not what the caller, the user or the algorithm wants as a whole. */
Verdict may_leave_root(const Graph &graph, FuncId func);

/** May `producer` be inlined into everything that reads it? Shared by the rules that inline. */
Verdict may_inline(const Graph &graph, const Placements &placements, const Site &site);

/** `placements` with `producer` inlined, and settled. */
Placements inline_producer(const Graph &graph, const Placements &placements, FuncId producer);

/** After a change of `placements`: whatever no longer is where all its readers are moves to their tile or block, or back to Root. */
void settle(const Graph &graph, Placements &placements);
/** The same where `before`, which `placements` was changed from, was settled: only what sees a change is looked at. */
void settle(const Graph &graph, const Placements &before, Placements &placements);

/** May the reduction `func` be computed at the tile of `consumer`, as placed? */
Verdict may_compute_at_tile(const Graph &graph, const Placements &placements, FuncId func, FuncId consumer);

/** May `func` be computed inside a block of the loops of `root`, as placed? */
Verdict may_compute_in_block(const Graph &graph, const Placements &placements, FuncId func, FuncId root);

/** May `func` be written in the loops of `root`, as placed? */
Verdict may_write_with(const Graph &graph, const Placements &placements, FuncId func, FuncId root);

/** `placements` with a nest of its own for `func`, and for what was written with it. */
Placements apart(const Placements &placements, FuncId func);

/** Why a Func that is not an output stays in memory, as a sentence; `weighed` is the last step about it that was not taken. */
std::string keep_materialized(const Graph &graph, const Placements &placements, FuncId func, const Step *weighed);

}  // namespace eutectic
