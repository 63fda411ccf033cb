#include "apps/digits/comparison.h"

#include "apps/digits/training.h"
#include "apps/support/largest.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

namespace eutectic::digits {

namespace {

double relative_difference(const float *a, const float *b, size_t count) {
    double largest = 0, difference = 0;
    for (size_t i = 0; i < count; i++) {
        largest = std::max(largest, std::abs(static_cast<double>(b[i])));
        raise(difference, std::abs(static_cast<double>(a[i]) - b[i]));
    }
    return difference / std::max(largest, static_cast<double>(std::numeric_limits<float>::min()));
}

constexpr std::chrono::seconds most_time{
    2};  // an OpenCL device that is a CPU takes a hundred times as long as a GPU or the CPU's own kernels

double timed_step(Trainer &trainer, const std::vector<int> &batch) {
    const auto start = std::chrono::steady_clock::now();
    trainer.step(batch);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

Comparison compare_steps(const Digits &data, const std::vector<int> &lines, const Random &weights, int rounds,
                         const std::string &device) {
    const std::vector<int> batch(
        lines.begin(),
        lines.begin() + std::min<ptrdiff_t>(planned_batch, static_cast<ptrdiff_t>(lines.size())));
    Random fused_weights = weights, unfused_weights = weights;
    Network fused_network(widths, fused_weights), unfused_network(widths, unfused_weights);
    Trainer fused(fused_network, data, fused_kernels(device)),
        unfused(unfused_network, data, unfused_kernels());

    // After the first step the first moment is a share of the gradient, and says as much as that.
    Comparison result;
    const float fused_loss = fused.step(batch), unfused_loss = unfused.step(batch);
    result.difference = relative_difference(&fused_loss, &unfused_loss, 1);
    for (size_t i = 0; i < fused_network.parameters.size(); i++) {
        Floats &a = fused_network.parameters[i].first_moment, &b = unfused_network.parameters[i].first_moment;
        to_host(a);
        to_host(b);
        raise(result.difference, relative_difference(a.data(), b.data(), a.number_of_elements()));
    }
    if (!result.agrees()) {
        return result;
    }
    result.fused_seconds = result.unfused_seconds = std::numeric_limits<double>::infinity();
    const auto start = std::chrono::steady_clock::now();
    for (int round = 0; round < rounds && std::chrono::steady_clock::now() - start < most_time; round++) {
        result.fused_seconds = std::min(result.fused_seconds, timed_step(fused, batch));
        result.unfused_seconds = std::min(result.unfused_seconds, timed_step(unfused, batch));
    }
    return result;
}

}  // namespace eutectic::digits
