#pragma once

#include "Halide.h"

#include "graph/data/graph.h"
#include "machine/machine.h"
#include "schedules/autoschedule.h"

namespace eutectic {

/** What the cost model needs of `target`. Throws UserError for targets with kernels for GPUs in other
 * languages than CUDA and OpenCL. */
TargetDescription describe(const Halide::Target &target);

/** Why this machine's CPU does not run code for `target`, as what a sentence says of it; empty: it does. */
std::string not_run_here(const Halide::Target &target);

/** What a plan may do to the unfused program's arithmetic. Throws UserError when what was asked for
 * contradicts the target. */
Numerics numerics_of(const Halide::Target &target, std::optional<Numerics> asked);

/** Throws UserError where there are more Funcs than plans are made for; where an input or an output has more
 * points, at the estimates, than Halide's buffers on `target` hold; or where a Func that `outputs` need
 * computes in double precision and `target` runs through OpenCL without its feature cl_doubles: Halide has no
 * kernels then. */
void check_limits(const Graph &graph, const std::vector<Halide::Internal::Function> &outputs,
                  const Halide::Target &target);

}  // namespace eutectic
