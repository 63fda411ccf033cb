#pragma once

#include "library/multiply.h"

namespace eutectic {

/** Eigen's products, for processors that have these instructions. */
Multiply eigen_for_any();
Multiply eigen_for_avx2();
Multiply eigen_for_avx512();

}  // namespace eutectic
