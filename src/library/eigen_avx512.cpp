#define EUTECTIC_EIGEN Eigen_avx512
#include "library/eigen_kernels.h"

namespace eutectic {

Multiply eigen_for_avx512() {
    return {multiply<float>, multiply<double>};
}

}  // namespace eutectic
