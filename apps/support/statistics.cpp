#include "apps/support/statistics.h"

#include <algorithm>
#include <cmath>

namespace eutectic {

double quantile(const std::vector<double> &sorted, double q) {
    const double place = q * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<size_t>(std::floor(place));
    const size_t above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

Summary summarize(std::vector<double> samples) {
    std::sort(samples.begin(), samples.end());
    return {samples.front(), quantile(samples, 0.25), quantile(samples, 0.5), quantile(samples, 0.75)};
}

void GeometricMean::add(double ratio) {
    logarithms_ += std::log(ratio);
    count_++;
}

std::optional<double> GeometricMean::value() const {
    return count_ > 0 ? std::optional(std::exp(logarithms_ / count_)) : std::nullopt;
}

}  // namespace eutectic
