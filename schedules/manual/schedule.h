#pragma once

#include <Halide.h>

#include <map>
#include <string>

namespace eutectic::manual {

/// The Funcs of a pipeline by the names that its generator gave them, inputs as INPUT_im. Hand-written
/// schedules are written for one generator, so that they, unlike the scheduler, may go by names. Where a
/// generator uses a name again, the second is NAME$1.
class Funcs {
public:
    explicit Funcs(const Halide::Pipeline &pipeline);

    /// Throws Halide::CompileError, naming the Func, if there is none of that name.
    Halide::Func operator[](const std::string &name) const;
    bool has(const std::string &name) const {
        return funcs_.count(name) > 0;
    }
    const std::map<std::string, Halide::Func> &all() const {
        return funcs_;
    }

private:
    std::map<std::string, Halide::Func> funcs_;
};

/// Numbers that a schedule may be tried with (autoscheduler.NAME=VALUE); each schedule names its own and
/// their best values.
class Tuning {
public:
    explicit Tuning(std::map<std::string, std::string> values) : values_(std::move(values)) {
    }
    /// What was given, or `best`.
    int get(const std::string &name, int best) const;

private:
    std::map<std::string, std::string> values_;
};

/// Each schedules the generator of its name, for x86-64 with AVX-512 and caches of 32 KiB and 1 MiB; right
/// everywhere, for any size.
void schedule_dense(const Funcs &funcs, const Tuning &tuning);
void schedule_softmax(const Funcs &funcs, const Tuning &tuning);
void schedule_layernorm(const Funcs &funcs, const Tuning &tuning);
void schedule_softmax_xent(const Funcs &funcs, const Tuning &tuning);
void schedule_log1pexp(const Funcs &funcs, const Tuning &tuning);
void schedule_matmul(const Funcs &funcs, const Tuning &tuning);
void schedule_attention(const Funcs &funcs, const Tuning &tuning);
void schedule_bottleneck(const Funcs &funcs, const Tuning &tuning);
void schedule_adam(const Funcs &funcs, const Tuning &tuning);
void schedule_batched_matmul(const Funcs &funcs, const Tuning &tuning);
void schedule_dropout(const Funcs &funcs, const Tuning &tuning);
void schedule_embedding(const Funcs &funcs, const Tuning &tuning);
void schedule_log_softmax(const Funcs &funcs, const Tuning &tuning);
void schedule_pointwise_chain(const Funcs &funcs, const Tuning &tuning);
void schedule_rmsnorm(const Funcs &funcs, const Tuning &tuning);
void schedule_scatter_add(const Funcs &funcs, const Tuning &tuning);
void schedule_sum_exp(const Funcs &funcs, const Tuning &tuning);
void schedule_views(const Funcs &funcs, const Tuning &tuning);
void schedule_avg_pool(const Funcs &funcs, const Tuning &tuning);
void schedule_conv2d(const Funcs &funcs, const Tuning &tuning);
void schedule_depthwise_separable(const Funcs &funcs, const Tuning &tuning);
void schedule_max_pool(const Funcs &funcs, const Tuning &tuning);
void schedule_mlp(const Funcs &funcs, const Tuning &tuning);
void schedule_mlp_loss_forward(const Funcs &funcs, const Tuning &tuning);
void schedule_mlp_loss_backward(const Funcs &funcs, const Tuning &tuning);

/// Image pipelines (images/).
void schedule_bilateral_grid(const Funcs &funcs, const Tuning &tuning);
void schedule_blur(const Funcs &funcs, const Tuning &tuning);
void schedule_box_blur(const Funcs &funcs, const Tuning &tuning);
void schedule_burst_merge(const Funcs &funcs, const Tuning &tuning);
void schedule_camera(const Funcs &funcs, const Tuning &tuning);
void schedule_color_matrix(const Funcs &funcs, const Tuning &tuning);
void schedule_composite(const Funcs &funcs, const Tuning &tuning);
void schedule_demosaic(const Funcs &funcs, const Tuning &tuning);
void schedule_dilate(const Funcs &funcs, const Tuning &tuning);
void schedule_equalize(const Funcs &funcs, const Tuning &tuning);
void schedule_harris(const Funcs &funcs, const Tuning &tuning);
void schedule_interpolate(const Funcs &funcs, const Tuning &tuning);
void schedule_median(const Funcs &funcs, const Tuning &tuning);
void schedule_nl_means(const Funcs &funcs, const Tuning &tuning);
void schedule_pyramid_blend(const Funcs &funcs, const Tuning &tuning);
void schedule_quantized_conv(const Funcs &funcs, const Tuning &tuning);
void schedule_recursive_blur(const Funcs &funcs, const Tuning &tuning);
void schedule_resize(const Funcs &funcs, const Tuning &tuning);
void schedule_stencil_chain(const Funcs &funcs, const Tuning &tuning);
void schedule_tone_mapping(const Funcs &funcs, const Tuning &tuning);
void schedule_unsharp(const Funcs &funcs, const Tuning &tuning);
void schedule_warp(const Funcs &funcs, const Tuning &tuning);

/// The yardsticks of the bench.
void schedule_stream(const Funcs &funcs, const Tuning &tuning);
void schedule_fma_peak(const Funcs &funcs, const Tuning &tuning);

/// Any generator: every Func in memory, scalar and serial. What others are compared with.
void schedule_reference(const Funcs &funcs, const Tuning &tuning);

}  // namespace eutectic::manual
