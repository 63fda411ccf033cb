#pragma once

#include <vector>

#include "fusion/plan/plan.h"
#include "schedules/rewrites/made_rewrite.h"

namespace eutectic {

/** What `group` adds that is made of `definitions`, in the order in which it is made. */
std::vector<const Added *> added_in_order(const Group &group, MadeRewrite::Takes definitions);

}  // namespace eutectic
