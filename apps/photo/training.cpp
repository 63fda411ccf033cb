#include "apps/photo/training.h"

#include <algorithm>
#include <cmath>

namespace eutectic::photo {

namespace {

constexpr double beta1 = 0.9, beta2 = 0.99, epsilon = 1e-10;
constexpr double last_share = 0.05;  // of the rate, in the last step
constexpr double pi = 3.14159265358979323846;

}  // namespace

Trainer::Trainer(Kernels &kernels, Floats &in, Floats &target, const Schedule &schedule)
    : kernels_(kernels), in_(in), target_(target), schedule_(schedule), random_(schedule.seed) {
    size_t count = 0;
    for (const auto &[name, tensor] : parameters_.named()) {
        count += tensor->number_of_elements();
    }
    first_.resize(count);
    second_.resize(count);
}

Floats Trainer::window_of(const Floats &picture, int x, int y) const {
    Floats window = picture;
    window.crop(0, x, std::min(schedule_.window, picture.width()));
    window.crop(1, y, std::min(schedule_.window, picture.height()));
    window.set_min(0, 0, 0);
    return window;
}

double Trainer::step() {
    const auto place = [&](int size) {
        return static_cast<int>(
            random_.below(static_cast<uint64_t>(std::max(size - schedule_.window, 0)) + 1));
    };
    const int x = place(in_.width()), y = place(in_.height());
    Floats in = window_of(in_, x, y), target = window_of(target_, x, y);
    const double loss = kernels_.differentiate(in, parameters_, target, gradients_);

    const double share = static_cast<double>(steps_) / std::max(schedule_.steps - 1, 1);
    const double rate =
        schedule_.rate * (last_share + (1 - last_share) * (1 + std::cos(pi * std::min(share, 1.0))) / 2);
    steps_++;
    const double correction1 = 1 - std::pow(beta1, steps_), correction2 = 1 - std::pow(beta2, steps_);
    size_t at = 0;
    const auto values = parameters_.named(), slopes = gradients_.named();
    for (size_t t = 0; t < values.size(); t++) {
        float *value = values[t].second->data();
        const float *slope = slopes[t].second->data();
        for (size_t i = 0; i < values[t].second->number_of_elements(); i++, at++) {
            const double g = slope[i];
            first_[at] = beta1 * first_[at] + (1 - beta1) * g;
            second_[at] = beta2 * second_[at] + (1 - beta2) * g * g;
            value[i] -= static_cast<float>(rate * (first_[at] / correction1) /
                                           (std::sqrt(second_[at] / correction2) + epsilon));
        }
    }
    return loss;
}

}  // namespace eutectic::photo
