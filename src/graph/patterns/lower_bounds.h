#pragma once

#include "graph/data/graph.h"

namespace eutectic {

/** Passes buffer extents from consumers to what they read (FuncInfo::at_least and ::inside, which outputs
 * have already): a Func is computed at least where its consumer's loop goes. Then to the dims of its stages.
 */
void find_lower_bounds(Graph &graph);

}  // namespace eutectic
