#pragma once

#include "library/convolve.h"

namespace eutectic {

/** `of`, which has no outer dims, by products: what the windows of a panel of rows hold is copied side by
 * side, a row of the matrix for each (Chellapilla, Puri and Simard 2006, section 3.1, "unfolding"), in panels
 * that stay in a core's second level of cache. Where each sum goes along one dimension nothing is copied. Of
 * float and double. Returns 0, or an error of HalideRuntime.h; throws std::bad_alloc. */
template<typename T>
int convolve_windows(const StridedConvolution<T> &of, int (*multiply)(const Multiplication<T> &));

}  // namespace eutectic
