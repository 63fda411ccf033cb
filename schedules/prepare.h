#pragma once

#include <string>
#include <utility>
#include <vector>

#include "Halide.h"

#include "graph/data/graph.h"
#include "machine/machine.h"

namespace eutectic {

/** A change of the pipeline before the graph that is planned is read: it makes Funcs or updates for the
 * planner to place, where a rewrite's Funcs belong to a group, or takes some away. */
struct Preparation {
    using Changes = std::vector<std::pair<int, int>>;  ///< Funcs as Pipeline::get_func() counts, and a number
                                                       ///< for each, which the call explains

    const char *name;  ///< of the call in rewrites.h, and in `disable=`
    Changes (*find)(const Graph &, const Halide::Pipeline &, const Machine &);
    /** Returns the names of Funcs that later ones leave as they are. */
    std::vector<std::string> (*make)(const Halide::Pipeline &, const Changes &);
    /** What was done to the Func of that name, for a person; how to leave it is added. */
    std::string (*sentence)(const std::string &func, int number);
    bool on_gpus = false;  ///< for GPUs, too
    bool again = false;    ///< what it has made may have more to change
    bool priced = false;   ///< each change is made where everything is predicted to be faster with it
};

/** May its definitions be changed? Nobody has scheduled or placed it, and nothing asks that it stay as it is.
 */
bool may_redefine(const FuncInfo &func);

/** In the order in which they are made. */
const std::vector<Preparation> &preparations();

}  // namespace eutectic
