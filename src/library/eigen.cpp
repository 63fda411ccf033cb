// Products by Eigen: headers alone, so it is always there. What it compiles to is chosen when it runs.

#include "library/eigen.h"

#include "library/entries.h"

namespace eutectic {

namespace {

Multiply eigen_for_this_processor() {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) {
        return eigen_for_avx512();
    }
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        return eigen_for_avx2();
    }
#endif
    return eigen_for_any();
}

const Multiply &multiply_by_it() {
    static const Multiply chosen = eigen_for_this_processor();
    return chosen;
}

}  // namespace

}  // namespace eutectic

EUTECTIC_LIBRARY(eigen, eutectic::multiply_by_it())
