#pragma once

#include "graph/data/graph.h"

namespace eutectic {

/** Does everything that reads `func` pass it on to `root`, and to nothing else, at its own point? */
bool only_in(const Graph &graph, const Table<FuncId, bool> &inlined, FuncId func, FuncId root);

}  // namespace eutectic
