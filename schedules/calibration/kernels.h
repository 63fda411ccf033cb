#pragma once

#include "Halide.h"

#include "machine/measure.h"

namespace eutectic {

/** The kernels that src/machine times, compiled by Halide for `target`, as the scheduler's own will be.
 * Compiling takes some seconds. `threads` is what HL_NUM_THREADS says, or the machine's cores. Throws
 * UserError for a target that this machine cannot run. */
MachineKernels machine_kernels(const Halide::Target &target, int threads);

}  // namespace eutectic
