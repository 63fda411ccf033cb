#define EUTECTIC_EIGEN Eigen_any
#include "library/eigen_kernels.h"

namespace eutectic {

Multiply eigen_for_any() {
    return {multiply<float>, multiply<double>};
}

}  // namespace eutectic
