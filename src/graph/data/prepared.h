#pragma once

// What was decided before the graph was read.

#include <string>
#include <utility>
#include <vector>

#include "base/units.h"

namespace eutectic {

/** A call that changed Funcs of a pipeline, each by a number (schedules/prepare.h). */
struct Prepared {
    std::string call;
    std::vector<std::pair<int, int>> changes;  ///< Funcs as Pipeline::get_func() counted them then
};

/** Have sums of floats other terms after that call than before? Whatever is planned then is reassociating. */
bool reassociates(const Prepared &call);

/** A product that a library might compute (`library=`): what everything is predicted to take with and without
 * its call. */
struct LibraryChoice {
    std::string func, library;
    bool taken = false;
    bool whole = false;  ///< the better of two calls: on the whole, with all threads; else on blocks
    Seconds with_call = 0, without_call = 0;
};

}  // namespace eutectic
