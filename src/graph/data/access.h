#pragma once

#include "graph/data/graph.h"

namespace eutectic {

/** Do two accesses of one Func by one stage name the same points, up to a constant distance? Only where every
 * index of both is exact. */
bool same_points(const Access &a, const Access &b);

}  // namespace eutectic
