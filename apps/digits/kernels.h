#pragma once

#include "apps/support/kernel.h"

#include <optional>
#include <string>
#include <vector>

namespace eutectic::digits {

/// The network, from input to output, and the batch that the kernels are planned for (CMakeLists.txt gives
/// the same to the generators; the kernels are right for any size).
inline const std::vector<int> widths = {64, 256, 128, 10};
constexpr int planned_batch = 128;

/// What one training step runs. Every kernel is an ahead-of-time compiled static library, and runs on the
/// device that device/device.h tells of.
struct StepKernels {
    /// All of it in one, for CPUs (step.json): x, labels, w1, b1, … and the moments w1_m, w1_v, … → loss,
    /// w1_p_next, w1_m_next, …; the others are then not run.
    std::optional<Kernel> joint = std::nullopt;
    Kernel forward;   ///< generator mlp_loss: x, labels, w1, b1, … → loss and residuals
    Kernel backward;  ///< its derivative: residuals, d_loss → d_w1, d_b1, …
    Kernel adam;      ///< p, m, v, g, lr, beta1, beta2, epsilon, step → out.0, out.1, out.2
};

StepKernels fused_kernels(const std::string &device);  ///< as Eutectic plans them
StepKernels unfused_kernels();                         ///< every Func in memory, under the same loop policies
Kernel logits_kernel();                                ///< generator mlp: x, w1, b1, … → logits

/// Eutectic's report of each fused kernel of a step on a device ("cpu", "cuda" or "opencl"), as JSON text:
/// what was written beside the libraries when they were built.
struct NamedReport {
    const char *kernel;
    const char *json;
};
std::vector<NamedReport> fused_reports(const std::string &device);

}  // namespace eutectic::digits
