#pragma once

#include <optional>
#include <vector>

#include "fusion/plan/plan.h"

namespace eutectic {

/** A choice between two sources along rows (src/graph/read/two_sides.h) that the output `root` makes at its
 * own points, itself or in a Func inlined into it that nothing else reads: a concatenation. A loop over the
 * row asks at every point which side it is on, and loads from both; where each row is put together first, by
 * a loop for each side, neither asks. Exact. -1: there is none, or `root`, whose range the loops have, is no
 * output or has no rows. */
FuncId row_choice(const Graph &graph, const Table<FuncId, bool> &inlined, FuncId root);

/** The output `root` is a line of rows, of a width known at run time only: it, and the Funcs inlined into it,
 * divide its innermost coordinate by one extent of a buffer, to say which row and which column. (Then vectors
 * read what lies in different rows; a loop over rows and columns divides nothing.) The Funcs inlined into it,
 * readers first; nothing if it is no such line. */
std::optional<std::vector<FuncId>> line_of_rows(const Graph &graph, const Table<FuncId, bool> &inlined,
                                                FuncId root);

}  // namespace eutectic
