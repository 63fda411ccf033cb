#pragma once

#include <map>
#include <string>

#include "fusion/plan/plan.h"

namespace eutectic {

/** Is `func` made to sum up strips of the rows that the group's root writes? */
bool is_in_strips(const Group &group, FuncId func);

/** Halide takes loops for the same only if they have the same names: what the dims of each Func of a nest
 * that several share are called, where their own names differ. */
std::map<FuncId, Table<DimId, std::string>> common_names(const Group &group);

}  // namespace eutectic
