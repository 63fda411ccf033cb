#pragma once

#include <optional>
#include <vector>

#include "Halide.h"

#include "schedules/calls/associative_operation.h"
#include "schedules/rewrites.h"

namespace eutectic {

/** f(x) = select(v > f(x)[k], Tuple(…, v, …), f(x)): what is best so far, and what came with it. */
struct BestSoFar {
    size_t compared = 0;              ///< the element k
    bool largest = true;              ///< else the smallest
    bool last = false;                ///< of equals, the last one is kept: v >= f(x)[k]
    Halide::Expr value;               ///< v
    std::vector<Halide::Expr> taken;  ///< for each element
};

/** The one update of a Func, taken apart. */
struct TupleReduction {
    std::vector<Halide::Internal::ReductionVariable> rvars;
    Halide::Expr where;
    std::vector<AssociativeOperation> accumulated;  ///< f(x)[e] = op(f(x)[e], term), for each element
                                                    ///< of the Tuple; empty: `best`
    std::optional<BestSoFar> best;
    ReducibleInLanes in_lanes;  ///< what is told of it
};

/** The update of `f`, if that is the only one and such a reduction. */
std::optional<TupleReduction> tuple_reduction(const Halide::Internal::Function &f);

}  // namespace eutectic
