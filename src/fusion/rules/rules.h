#pragma once

#include "fusion/rules/rule.h"

namespace eutectic {

// What rules have in common. The rules themselves are declared where they are listed (rule_lists.cpp).

/** May `func` live anywhere but at Root? Not what the caller, the user or the algorithm wants as a whole. */
Verdict may_leave_root(const Graph &graph, FuncId func);

/** May `producer` be inlined into everything that reads it? Shared by the rules that inline. */
Verdict may_inline(const Graph &graph, const Placements &placements, const Site &site);

/** `placements` with `producer` inlined, and settled. */
Placements inline_producer(const Graph &graph, const Placements &placements, FuncId producer);

/** After a change of `placements`: whatever no longer is where all its readers are moves to their tile or
 * block, or back to Root. */
void settle(const Graph &graph, Placements &placements);
/** The same where `before`, which `placements` was changed from, was settled: only what sees a change is
 * looked at. */
void settle(const Graph &graph, const Placements &before, Placements &placements);

/** `placements` with `func` in memory as a whole, and settled. */
Placements back_in_memory(const Graph &graph, const Placements &placements, FuncId func);

/** May the reduction `func` be computed at the tile of `consumer`, as placed? */
Verdict may_compute_at_tile(const Graph &graph, const Placements &placements, FuncId func, FuncId consumer);

/** May `func` be computed inside a block of the loops of `root`, as placed? */
Verdict may_compute_in_block(const Graph &graph, const Placements &placements, FuncId func, FuncId root);

/** May the reduction `sum` be summed up in strips of the rows that `writer` writes, as placed? */
Verdict may_sum_in_strips(const Graph &graph, const Placements &placements, FuncId sum, FuncId writer);

/** May what `func` reads of `writer` be recomputed for it? In `next` it is written in the nest of
 * `writer`. */
Verdict may_recompute(const Graph &graph, const Placements &next, FuncId func, FuncId writer);

/** `func` and all that its nest writes. */
std::vector<FuncId> written_with(const Placements &placements, FuncId func);

/** The first of `funcs` that is computed from one of them, or -1. What one nest writes is written after all
 * that it reads. Those that read `recomputed` (-1: nothing) compute it for themselves. */
FuncId computed_from(const Graph &graph, const Placements &placements, const std::vector<FuncId> &funcs,
                     FuncId recomputed = -1);

/** Can nests run one after the other, none computed from what it writes, however many Funcs they write?
 * Without anything that is computed again for a reader in the same nest. */
bool nests_in_order(const Graph &graph, const Placements &placements);

/** Are there Funcs in blocks of the loops of `root`? */
bool holds_blocks(const Placements &placements, FuncId root);

/** Is `func` read at points that are themselves computed or loaded, as by a table of indices? */
bool read_at_computed_points(const Graph &graph, const Placements &placements, FuncId func);

/** The first Func in blocks of the loops of `root` that is read so, or -1. Such blocks serve one Func alone:
 * what they require is looked up before each of them, and where several Funcs share the loops, Halide (21)
 * looks it up beyond the last row, too ("Input buffer is accessed at 15, which is beyond the max"). */
FuncId looked_up_in_blocks(const Graph &graph, const Placements &placements, FuncId root);

/** May `func` be written in the loops of `root`, as placed? Where those loops hold blocks, it may have the
 * outer ones alone. */
Verdict may_write_with(const Graph &graph, const Placements &placements, FuncId func, FuncId root);

/** `placements` with a nest of its own for `func`, and for what was written with it. */
Placements apart(const Placements &placements, FuncId func);

/** `placements` with a nest of its own for `func`, but for sums in strips of its rows that do not recompute
 * it and for Funcs that share its blocks, and one for pure Funcs that were written with it. */
Placements apart_from_pure(const Graph &graph, const Placements &placements, FuncId func);

/** Why a Func that is not an output stays in memory, as a sentence; `weighed` is the last step about it that
 * was not taken. */
std::string keep_materialized(const Graph &graph, const Placements &placements, FuncId func,
                              const Step *weighed);

}  // namespace eutectic
