#pragma once

#include "graph/data/graph.h"

namespace eutectic {

/** What reads `func` on the way to `around` stays inlined, as Halide has it, where the user computes `placed`
 * in loops of `around`: at Root it would read values that are not there yet. */
void inline_between(Graph &graph, FuncId placed, FuncId func, FuncId around);

}  // namespace eutectic
