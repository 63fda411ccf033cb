#pragma once

#include <vector>

#include "fusion/plan.h"

namespace eutectic {

/** What a sum over rows reads of the same rows as a Func that writes rows. A row is what one point of the writer's last dim needs. */
struct SharedRows {
    int dim = -1;               ///< of the sum's update: the reduction variable that goes over the rows; -1: they share none
    Bytes bytes = 0;            ///< that both read, at the estimates
    std::vector<FuncId> funcs;  ///< of which they read the same rows
};

/** The rows that the last update of `sum` and the pure Func `writer` share. What is computed in blocks of the writer's loops, without being a sum itself, counts as the writer's own. */
SharedRows shared_rows(const Graph &graph, const Placements &placements, FuncId sum, FuncId writer);

/** Is `func` one whose values an update sums up, or combines in another way? */
bool is_sum(const Graph &graph, FuncId func);

}  // namespace eutectic
