#include "tune/beliefs.h"

#include <algorithm>
#include <cmath>

#include "fusion/search/drawn_machine.h"

namespace eutectic {

Beliefs::Beliefs(const Machine &machine, size_t count, uint64_t seed)
    : machines_(1, machine), logs_(count, 0), weights_(count, 1 / static_cast<double>(count)) {
    Dice dice(seed);
    while (machines_.size() < count) {
        Machine drawn = drawn_machine(machine, false, dice);
        // The same program on the same vectors and cores: only what these can do is in doubt.
        drawn.vector_bits = machine.vector_bits;
        drawn.vector_registers = machine.vector_registers;
        drawn.cores = machine.cores;
        machines_.push_back(std::move(drawn));
    }
}

std::vector<Seconds> Beliefs::on_each(const std::vector<PricedNest> &nests) const {
    std::vector<Seconds> seconds;
    for (const Machine &m : machines_) {
        Seconds sum = 0;
        for (const PricedNest &nest : nests) {
            sum += price(nest.stages, m).total() + nest.allocations;
        }
        seconds.push_back(sum);
    }
    return seconds;
}

void Beliefs::learn(const std::vector<Seconds> &plan, const std::vector<Seconds> &other, double ratio) {
    for (size_t m = 0; m < logs_.size(); m++) {
        const double error = (std::log(ratio) - std::log(plan[m] / other[m])) / log_error;
        logs_[m] -= error * error / 2;
    }
    const double most = *std::max_element(logs_.begin(), logs_.end());
    double sum = 0;
    for (size_t m = 0; m < logs_.size(); m++) {
        weights_[m] = std::exp(logs_[m] - most);
        sum += weights_[m];
    }
    for (double &w : weights_) {
        w /= sum;
    }
}

double Beliefs::expected_gain(const std::vector<Seconds> &plan, const std::vector<Seconds> &other) const {
    double gain = 0;
    for (size_t m = 0; m < weights_.size(); m++) {
        gain += weights_[m] * std::max(0.0, 1 - plan[m] / other[m]);
    }
    return gain;
}

double Beliefs::expected_ratio(const std::vector<Seconds> &plan, const std::vector<Seconds> &other) const {
    double ratio = 0;
    for (size_t m = 0; m < weights_.size(); m++) {
        ratio += weights_[m] * plan[m] / other[m];
    }
    return ratio;
}

}  // namespace eutectic
