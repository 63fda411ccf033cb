#pragma once

#include "fusion/plan/plan.h"

namespace eutectic {

/** Leaves loops whole that are hardly run. Halide cuts a loop with a guarded tail into one of whole vectors
 * and one with all that a tail may need, of which LLVM compiles every body. Where a stage takes so little of
 * the plan's run that masked vectors throughout cost less than these seconds of compiling are worth
 * (Machine::compile_share), its loops are not cut. Not on GPUs, nor where a masked load is one a lane. */
void leave_uncut(const Machine &machine, FusionPlan &plan);
/** The same in `groups` of plans that run for so many seconds. */
void leave_uncut(const Machine &machine, Seconds run, std::vector<Group> &groups);

}  // namespace eutectic
