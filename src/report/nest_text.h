#pragma once

#include <string>
#include <vector>

#include "fusion/plan/names.h"

namespace eutectic {

/** "matmul", "matmul.update(0)". */
std::string stage_name(const PlanNames &names, FuncId func, int update);

/** One loop as people read it: "parallel j by 24 (11)" goes over j in steps of 24 points, and takes 11 turns
 * at the estimates. `loop`: of those of `stage`, shared ones included. */
std::string loop_text(const StageNest &stage, size_t loop);

/** What has to hold for the version of a stage whose tiles are whole: "y.j >= 24". */
std::string condition_text(const PlanNames &names, const Condition &condition);

/** Where the stage is computed, and its own loops, outermost first: "matmul at i by 4 of y: unroll i (4), …".
 */
std::string nest_text(const PlanNames &names, const LoopTree &tree, const StageNest &stage);

/** The loops of Funcs around that of `func`: how deep its line stands. */
int nesting(const LoopTree &tree, FuncId func);

/** The loops that a stage has of its own: from where in those of `stage`. */
size_t first_own_loop(const StageNest &stage);

}  // namespace eutectic
