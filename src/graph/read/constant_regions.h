#pragma once

#include <map>
#include <string>
#include <vector>

#include "Halide.h"

#include "graph/data/ids.h"

namespace eutectic {

/** The points of dimension `d` of `f` that a user bounds it to, as two constants: by Func::bound(), or, for
 * an output, by what its buffer is constrained to (set_bounds()). Everything when that is not so. */
Halide::Internal::Interval constant_interval(const Halide::Internal::Function &f, DimId d);

/** The region of every Func that the outputs need, where that is the same at every size: two constants for a
 * dimension for which it is, everything for others. `functions`: producers first. */
std::map<std::string, Halide::Internal::Box>
constant_regions(const std::vector<Halide::Internal::Function> &outputs,
                 const std::vector<Halide::Internal::Function> &functions);

/** For each dimension of `f`: has its region two constant ends? */
DimFlags constant_dims(const std::map<std::string, Halide::Internal::Box> &regions,
                       const Halide::Internal::Function &f);

}  // namespace eutectic
