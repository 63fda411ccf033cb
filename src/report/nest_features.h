#pragma once

#include <string>

#include "report/report.h"

namespace eutectic {

/** What each stage of each nest of loops of a plan for CPUs is priced by, as CSV with a heading: the fields
 * of cost/priced_nest.h by their names, which cost models of others are told, too, and the seconds that this
 * project's model and the one that the plan was made with say of the nest. One line a stage; those of one
 * nest share the columns about it. */
std::string nest_features_csv(const Graph &graph, const FusionPlan &plan, const Machine &machine);

}  // namespace eutectic
