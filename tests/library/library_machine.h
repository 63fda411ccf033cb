#pragma once

#include <string>

#include "machine/libraries.h"

namespace eutectic::test {

/** Writes a machine file: two cores of a processor with 256-bit vectors, on which every library has these
 * rates. */
void write_machine(const std::string &file, double peak_share, double bytes_per_second, Seconds call_seconds);

}  // namespace eutectic::test
