#pragma once

#include <string>
#include <vector>

#include "fusion/rules/rule.h"

namespace eutectic {

/** The next best place for one Func, everything else staying as the plan has it. */
struct RunnerUp {
    FuncId func = -1;
    Placement::Kind kind = Placement::Kind::root;  ///< where it would live
    FuncId consumer = -1;                          ///< at whose tile, or in whose block
    Seconds plan = 0, total = 0;  ///< predicted time of the whole plan as it is, and with the runner-up;
                                  ///< infinite when no policy has loops for that
};

/** One for each Func that could legally live elsewhere, in graph order: away from Root what is weighed is
 * Root, and what the rules offer from there; at Root what they offer. Of several the cheapest. Inputs,
 * outputs and Funcs whose every move is refused have none. Other places than the pinned ones count: what a
 * pin costs is told by them. Where `plan` has other loops than those that are best on `machine` (family.h),
 * both times are with these. `machine`: with the compile_weight that the plan was searched with. */
std::vector<RunnerUp> runners_up(const Graph &graph, const Machine &machine, const std::vector<Rule> &rules,
                                 const FusionPlan &plan, const Pins &pins = {});

}  // namespace eutectic
