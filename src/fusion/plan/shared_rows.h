#pragma once

#include <vector>

#include "fusion/plan/plan.h"

namespace eutectic {

/** What a sum over rows reads of the same rows as a Func that writes rows. A row is what one point of the
 * writer's last dim needs. */
struct SharedRows {
    DimId dim =
        -1;  ///< of the sum's update: the reduction variable that goes over the rows; -1: they share none
    Bytes bytes = 0;            ///< that both read, at the estimates
    std::vector<FuncId> funcs;  ///< of which they read the same rows
};

/** The rows that the last update of `sum` and the pure Func `writer` share. What is computed in blocks of the
 * writer's loops, without being a sum itself, counts as the writer's own, and of a sum that reads the writer,
 * what that reads. */
SharedRows shared_rows(const Graph &graph, const Placements &placements, FuncId sum, FuncId writer);

/** Does `reader` read `func`, itself or through Funcs that are inlined? */
bool reads_values_of(const Graph &graph, const Placements &placements, FuncId reader, FuncId func);

/** The pure Func in whose nest `func` is written or summed up, if it reads that one's values: they are
 * recomputed for it, inlined into its last definition. -1: there is none. */
FuncId recomputed_for(const Graph &graph, const Placements &placements, FuncId func);

/** How many points of the innermost dim of `root` one point of the pure Func `func` goes over, in loops of
 * which the outer dims are both's: 8 for a mask of bits. It reads what `root` reads, or `root` itself, at so
 * many times its own coordinate. 1: the loops of both go over the same points; 0: they have other dims. */
int64_t run_length(const Graph &graph, const Placements &placements, FuncId func, FuncId root);

/** `inlined`, of every Func, as the stages of `func` see it: what is recomputed for it is inlined into
 * them, too. */
Table<FuncId, bool> inlined_for(const Graph &graph, const Placements &placements, Table<FuncId, bool> inlined,
                                FuncId func);

/** Is `func` one whose values an update sums up, or combines in another way? */
bool is_sum(const Graph &graph, FuncId func);

}  // namespace eutectic
