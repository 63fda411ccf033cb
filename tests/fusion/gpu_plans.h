#pragma once

// What the tests of plans for a made-up GPU share.

#include <cstdint>
#include <string>

#include "fusion/plan/plan.h"
#include "fusion/rules/rule.h"

namespace eutectic::test {

Planned planned(Graph graph);

/** Launches of one run. */
size_t kernels(const FusionPlan &plan);

/** "policy/kernels" of each group. */
std::string policies(const FusionPlan &plan);

/** Every loop nest at Root is one over blocks, whatever the policy. */
void check_blocks(const FusionPlan &plan);

/** One reduction of n points to a scalar. */
Graph sum_of_everything(int64_t n);

}  // namespace eutectic::test
