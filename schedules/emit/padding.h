#pragma once

#include "cost/loop_tree.h"

namespace eutectic {

/** Of so many points the rows of `func` in memory have to be a multiple: in shared memory, whole elements of
 * the widest type there. Halide (21) gives each Func a place that begins at such an element, and a block as
 * many bytes as all of them have together, without those between: the last ones would lie beyond it. */
int row_padding(const LoopTree &tree, const TreeFunc &func);

}  // namespace eutectic
