#pragma once

#include "fusion/plan/plan.h"

namespace eutectic {

/** What moving `func` away from Root, as `plan` places it, may do to the arithmetic, compared with the
 * unfused program under the same target:
 *
 *  - exact: every operation has the same operands, in the same order, rounded as before
 *  - contracting: a product meets a sum that reads it: one fused multiply-add, rounded once, where the target
 *    has it
 *  - reassociating: other operations meet, which a compiler may reorder or fold
 *  - approximate: and functions are the device's own, within a bound that a note names; of whole plans alone
 *    (approximate_functions)
 *
 *  What a library computes (library=) is reassociating, and so is a plan for Winograd's algorithm, wherever
 * its Funcs are. Under strict_float everything is exact; so are
 * integers. Loads and stores keep operations apart, hence a reduction computed in loops of its own is exact
 * wherever it is placed, unless its loops are unrolled. Values at Root are exact. Of the steps of a scan,
 * whose loops keep a value in a register where they are as written, it says nothing either: there a compiler
 * sees one step's operations meet the next one's. Of neighbours that are one point behind a clamp it says
 * nothing: in a loop that is cut at an edge a compiler sees that they are one, and adds up their factors. */
Grade grade(const Graph &graph, const FusionPlan &plan, FuncId func);

/** What inlining `func` into `reader` alone, directly or through inlined Funcs, may do. */
Grade grade_of_inlining(const Graph &graph, const Placements &placements, FuncId func, FuncId reader);

/** The furthest from exact of all decisions and Added Funcs of the plan. */
Grade grade(const Graph &graph, const FusionPlan &plan);

}  // namespace eutectic
