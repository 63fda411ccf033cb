#pragma once

// The edge of an input's gradient. A gradient's Func is right within the region of the input that the forward
// reads. A caller who asks for more gets zeros there, or a bounds error at run time where asking for more
// also reads some other buffer beyond its end.

#include "autodiff/bounds.h"

#include <Halide.h>

#include <map>
#include <string>

namespace eutectic {

/// Rewrites the pure Func `gradient` of the input `of` to be zero outside `region`, in each dimension unless
///   the region is the whole input, so that there is no outside; or
///   it is unbounded, so that guards are inside already; or
///   a buffer of `ranges` (by parameter name: the part of it that exists) that covers just the region is read
///   there too, so that a larger gradient is an error at run time.
/// In all these the gradient's accesses stay affine.
void zero_outside(Halide::Func gradient, const Halide::Parameter &of, const SymbolicRegion &region,
                  const std::map<std::string, SymbolicRegion> &ranges);

}  // namespace eutectic
