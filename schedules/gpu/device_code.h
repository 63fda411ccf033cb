#pragma once

#include <string>
#include <vector>

#include "Halide.h"

#include "base/units.h"

namespace eutectic {

/** One kernel of the code. */
struct DeviceKernel {
    std::string name;        ///< in the code
    std::string func;        ///< the Func whose loops it runs
    int update = -1;         ///< and the stage: -1 for the pure definition
    int threads = 0;         ///< of a block; 0 where that depends on the caller's buffers
    Bytes shared_bytes = 0;  ///< of a block; -1 where that depends on them
};

/** A pipeline's kernels for CUDA. */
struct DeviceCode {
    std::string ptx;
    std::vector<DeviceKernel> kernels;  ///< in the order of the code, which is that of the program; one that
                                        ///< has a version for whole tiles is there twice
};

/** A copy of the pipeline that can be scheduled by itself: its Funcs have the same names, its inputs are the
 * original's. */
Halide::Pipeline copy_of(const Halide::Pipeline &pipeline);

/** Compiles the kernels of `scheduled`, and not the code around them. `target` has cuda. Halide's errors pass
 * through. */
DeviceCode device_code(Halide::Pipeline scheduled, const Halide::Target &target);

}  // namespace eutectic
