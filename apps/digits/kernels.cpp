#include "apps/digits/kernels.h"

#include "digits_adam.h"
#include "digits_adam_unfused.h"
#include "digits_logits.h"
#include "digits_loss_backward.h"
#include "digits_loss_forward.h"
#include "digits_loss_unfused_backward.h"
#include "digits_loss_unfused_forward.h"
#include "digits_reports.h"
#include "digits_step.h"

namespace eutectic::digits {

StepKernels fused_kernels(const std::string &device) {
    return {
        device == "cpu" ? std::optional(Kernel(digits_step_argv, digits_step_metadata())) : std::nullopt,
        {digits_loss_forward_argv, digits_loss_forward_metadata()},
        {digits_loss_backward_argv, digits_loss_backward_metadata()},
        {digits_adam_argv, digits_adam_metadata()},
    };
}

StepKernels unfused_kernels() {
    return {
        std::nullopt,
        {digits_loss_unfused_forward_argv, digits_loss_unfused_forward_metadata()},
        {digits_loss_unfused_backward_argv, digits_loss_unfused_backward_metadata()},
        {digits_adam_unfused_argv, digits_adam_unfused_metadata()},
    };
}

Kernel logits_kernel() {
    return {digits_logits_argv, digits_logits_metadata()};
}

std::vector<NamedReport> fused_reports(const std::string &device) {
    if (device == "cuda") {
        return {{"forward", digits_loss_forward_host_cuda_report},
                {"backward", digits_loss_backward_host_cuda_report},
                {"adam", digits_adam_host_cuda_report}};
    }
    if (device == "opencl") {
        return {{"forward", digits_loss_forward_host_opencl_report},
                {"backward", digits_loss_backward_host_opencl_report},
                {"adam", digits_adam_host_opencl_report}};
    }
    return {{"step", digits_step_report}};
}

}  // namespace eutectic::digits
