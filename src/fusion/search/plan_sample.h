#pragma once

#include <cstdint>

#include "fusion/rules/rule.h"

namespace eutectic {

/** A legal plan drawn at random, and its price on `machine`: what the accuracy of prices is measured on. The
 * same seed gives the same plan.
 *
 *  It is a plan for another machine, whose rates, caches, registers, vectors and cores are drawn around those
 * of `machine`: so its tiles, vectors, blocks and parallel loops are ones that the policies may choose,
 * whatever the policies are. The way to its placements is the greedy planner's for that machine, off which it
 *  strays at random. Of four seeds three stay near (rates within some 1.5 times, few detours), one goes far.
 */
Planned plan_sample(const Graph &graph, const Machine &machine, const std::vector<Rule> &rules,
                    uint64_t seed);

}  // namespace eutectic
