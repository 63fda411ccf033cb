#pragma once

#include "machine/machine.h"

namespace eutectic::test {

/** A machine with round numbers and every field set, so that decisions do not follow the preset: 4 cores at 1 GHz, vectors of 8 floats, 16 registers,
 *  32 KiB, 256 KiB and 4 MiB of cache. */
Machine round_machine();

}  // namespace eutectic::test
