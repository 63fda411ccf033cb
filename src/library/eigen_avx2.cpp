#define EUTECTIC_EIGEN Eigen_avx2
#include "library/eigen_kernels.h"

namespace eutectic {

Multiply eigen_for_avx2() {
    return {multiply<float>, multiply<double>};
}

}  // namespace eutectic
