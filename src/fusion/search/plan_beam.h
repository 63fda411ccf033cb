#pragma once

#include "fusion/rules/rule.h"

namespace eutectic {

/** effort=best: keeps the few cheapest placements of every depth instead of one, so that a step which costs
 * something by itself may be taken for what it makes possible. The same candidates and legality as
 * plan_greedy(), whose plan it starts from: never worse in predicted cost. Deterministic: its limits count
 * work, not time. */
Planned plan_beam(const Graph &graph, const Machine &machine, const std::vector<Rule> &rules,
                  const Pins &pins = {});

}  // namespace eutectic
