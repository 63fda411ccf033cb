#pragma once

#include "machine/machine.h"

namespace eutectic::test {

/** A machine with round numbers and every field set, so that decisions do not follow the preset: 4 cores at 1
 * GHz, vectors of 8 floats, 16 registers, 32 KiB, 256 KiB and 4 MiB of cache. */
Machine round_machine();

/** A GPU with round numbers: 10 SMs at 1 GHz of 1024 threads, 32768 registers and 64 KiB of shared memory
 * each. */
Gpu round_gpu();

/** round_machine() with round_gpu(). */
Machine round_gpu_machine();

}  // namespace eutectic::test
