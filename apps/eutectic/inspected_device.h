#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

#include "machine/gpu.h"
#include "schedules/autoschedule.h"
#include "schedules/gpu/ptxas.h"
#include "schedules/gpu/sass.h"

namespace eutectic {

/** A kernel for CUDA as ptxas made it. */
struct KernelCode {
    std::string func;  ///< whose loops it runs
    AssembledKernel assembled;
    KernelResources resources;
    Occupancy occupancy;
    KernelSass sass;  ///< without a name: there is none
};

/** What was read of kernels, and what was not. */
struct DeviceKernels {
    std::string architecture;  ///< "sm_80"
    std::vector<KernelCode> kernels;
    std::string no_sass;  ///< why there is none, as a sentence; empty if there is
};

/** Compiles the kernels of the scheduled pipeline, assembles and disassembles them. Throws UserError where
 * they cannot be assembled. */
DeviceKernels device_kernels(const Scheduled &scheduled, const Halide::Pipeline &pipeline,
                             const Halide::Target &target);

nlohmann::ordered_json to_json(const KernelCode &kernel);
std::string to_text(const KernelCode &kernel);

}  // namespace eutectic
