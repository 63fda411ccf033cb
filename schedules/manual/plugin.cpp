// The autoscheduler "Manual": applies the hand-written schedule that autoscheduler.schedule=NAME chooses.

#include "schedules/manual/schedule.h"

namespace eutectic::manual {

namespace {

using namespace Halide;

/// Halide makes "matmul$1" of "matmul" when a process defines the name again.
std::string plain_name(const std::string &name) {
    return name.substr(0, name.find('$'));
}

using Apply = void (*)(const Funcs &, const Tuning &);

/// By the generator's name.
const std::map<std::string, Apply> &schedules() {
    static const std::map<std::string, Apply> table = {
        {"adam", schedule_adam},
        {"attention", schedule_attention},
        {"avg_pool", schedule_avg_pool},
        {"batched_matmul", schedule_batched_matmul},
        {"bilateral_grid", schedule_bilateral_grid},
        {"blur", schedule_blur},
        {"bottleneck", schedule_bottleneck},
        {"box_blur", schedule_box_blur},
        {"burst_merge", schedule_burst_merge},
        {"camera", schedule_camera},
        {"color_matrix", schedule_color_matrix},
        {"composite", schedule_composite},
        {"conv2d", schedule_conv2d},
        {"demosaic", schedule_demosaic},
        {"dense", schedule_dense},
        {"dense_dropout", schedule_dense},
        {"depthwise_separable", schedule_depthwise_separable},
        {"dilate", schedule_dilate},
        {"dropout", schedule_dropout},
        {"embedding", schedule_embedding},
        {"equalize", schedule_equalize},
        {"fma_peak", schedule_fma_peak},
        {"harris", schedule_harris},
        {"interpolate", schedule_interpolate},
        {"layernorm", schedule_layernorm},
        {"log1pexp", schedule_log1pexp},
        {"log_softmax", schedule_log_softmax},
        {"matmul", schedule_matmul},
        {"max_pool", schedule_max_pool},
        {"median", schedule_median},
        {"mlp", schedule_mlp},
        {"mlp_loss_backward", schedule_mlp_loss_backward},
        {"mlp_loss_forward", schedule_mlp_loss_forward},
        {"nl_means", schedule_nl_means},
        {"pointwise_chain", schedule_pointwise_chain},
        {"pyramid_blend", schedule_pyramid_blend},
        {"quantized_conv", schedule_quantized_conv},
        {"recursive_blur", schedule_recursive_blur},
        {"reference", schedule_reference},
        {"resize", schedule_resize},
        {"rmsnorm", schedule_rmsnorm},
        {"scatter_add", schedule_scatter_add},
        {"softmax", schedule_softmax},
        {"softmax_xent", schedule_softmax_xent},
        {"stencil_chain", schedule_stencil_chain},
        {"stream", schedule_stream},
        {"sum_exp", schedule_sum_exp},
        {"tone_mapping", schedule_tone_mapping},
        {"unsharp", schedule_unsharp},
        {"views", schedule_views},
        {"warp", schedule_warp},
    };
    return table;
}

void schedule(const Pipeline &pipeline, const Target &target, const AutoschedulerParams &params,
              AutoSchedulerResults *results) {
    const Funcs funcs(pipeline);
    const Tuning tuning(params.extra);
    const auto chosen = params.extra.find("schedule");
    const std::string name = chosen == params.extra.end() ? "none" : chosen->second;
    const auto found = schedules().find(name);
    if (found == schedules().end()) {
        std::string known;
        for (const auto &[known_name, apply] : schedules()) {
            known += (known.empty() ? "" : ", ") + known_name;
        }
        throw CompileError("Autoscheduler Manual was asked for schedule=" + name + "; known are " + known +
                           ".");
    }
    found->second(funcs, tuning);
    results->target = target;
    results->autoscheduler_params = params;
}

struct Registration {
    Registration() {
        Pipeline::add_autoscheduler("Manual", schedule);
    }
} registration;

}  // namespace

Funcs::Funcs(const Pipeline &pipeline) {
    std::vector<Internal::Function> outputs;
    for (const Func &output : pipeline.outputs()) {
        outputs.push_back(output.function());
    }
    for (const auto &[name, function] : Internal::build_environment(outputs)) {
        funcs_.emplace(name, Func(function));
        funcs_.emplace(plain_name(name), Func(function));  // of several, the first
    }
}

Func Funcs::operator[](const std::string &name) const {
    const auto found = funcs_.find(name);
    if (found == funcs_.end()) {
        throw CompileError("The pipeline has no Func '" + name + "' for the hand-written schedule.");
    }
    return found->second;
}

int Tuning::get(const std::string &name, int best) const {
    const auto found = values_.find(name);
    return found == values_.end() ? best : std::stoi(found->second);
}

}  // namespace eutectic::manual
