#pragma once

#include "fusion/plan/plan.h"

namespace eutectic {

/** The nests between which the values of a Func are there, by their roots: nests run one after the other, in
 * the graph's order. */
struct Lifetime {
    FuncId first = -1;  ///< the nest that computes it
    FuncId last = -1;   ///< the last one that reads it
};
Table<FuncId, Lifetime> lifetimes(const Graph &graph, const Placements &placements);

/** Does a run allocate and free memory for all values of `func`? */
bool is_buffer(const Graph &graph, const Placements &placements, FuncId func);

}  // namespace eutectic
