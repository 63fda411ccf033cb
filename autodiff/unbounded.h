#pragma once

#include "autodiff/bounds.h"

#include <Halide.h>

#include <map>
#include <string>
#include <vector>

namespace eutectic {

/// Nothing can hold what is read at places without bounds, as the Func of a boundary condition in a gather:
/// the first such pure Func of `order`, whose `regions` these are, is written out where it is read, as Halide
/// does, so that its clamps are seen there, and is taken out of `order`. False where there is none.
bool write_out_unbounded(std::vector<Halide::Internal::Function> &order,
                         const std::map<std::string, SymbolicRegion> &regions);

}  // namespace eutectic
