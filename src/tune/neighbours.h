#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fusion/rules/rule.h"

namespace eutectic {

/** Decisions that lead to another plan. */
struct Neighbour {
    Pins pins;
    std::string change;  ///< what they change, in words: "z in memory", "other loops for y (17)"
};

/** The steps that `rules` allow from where `planned`, which obeys `pins`, is, as pins added to these, or in
 * their place; cheapest first by what the planner says of the step alone. What pins have no word for (which
 * Funcs one nest writes together, rewrites) is none. */
std::vector<Neighbour> other_places(const Graph &graph, const Machine &machine,
                                    const std::vector<Rule> &rules, const Planned &planned, const Pins &pins);

/** For each nest of the plan whose best loops on the machine of `seed` (search/drawn_machine.h) are others
 * than it has: these, by a pin of loops added to `pins`. None on GPUs. */
std::vector<Neighbour> other_loops(const Graph &graph, const Machine &machine, const Planned &planned,
                                   const Pins &pins, uint64_t seed);

}  // namespace eutectic
