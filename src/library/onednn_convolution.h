#pragma once

#include "library/convolve.h"

namespace eutectic {

/** `c` by oneDNN's own convolutions, on this thread (whose number of OpenMP's threads is 1); false, and
 * nothing done, where those have no fast kernel for its layout. */
bool convolve_by_onednn(const StridedConvolution<float> &c);

}  // namespace eutectic
