#include "apps/accuracy/statistics.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include <boost/math/statistics/bivariate_statistics.hpp>
#include <boost/math/statistics/univariate_statistics.hpp>

namespace eutectic::accuracy {

namespace statistics = boost::math::statistics;

namespace {

std::vector<double> ranks(const std::vector<double> &values) {
    std::vector<size_t> order(values.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return values[a] < values[b]; });
    std::vector<double> result(values.size());
    for (size_t first = 0; first < order.size();) {
        size_t last = first;
        while (last + 1 < order.size() && values[order[last + 1]] == values[order[first]]) {
            last++;
        }
        for (size_t i = first; i <= last; i++) {
            result[order[i]] = 0.5 * static_cast<double>(first + last);
        }
        first = last + 1;
    }
    return result;
}

bool all_equal(const std::vector<double> &values) {
    return std::adjacent_find(values.begin(), values.end(), std::not_equal_to<>()) == values.end();
}

/// Of `from`, sorted by prediction, `count` that lie closest to evenly spaced logarithms.
std::vector<size_t> spread(const std::vector<size_t> &from, const std::vector<double> &predicted,
                           size_t count) {
    if (from.size() <= count) {
        return from;
    }
    std::vector<size_t> left = from, taken;
    const double low = std::log(predicted[from.front()]), high = std::log(predicted[from.back()]);
    for (size_t i = 0; i < count; i++) {
        const double wanted =
            low + (high - low) * static_cast<double>(i) / static_cast<double>(std::max<size_t>(1, count - 1));
        const auto closest = std::min_element(left.begin(), left.end(), [&](size_t a, size_t b) {
            return std::abs(std::log(predicted[a]) - wanted) < std::abs(std::log(predicted[b]) - wanted);
        });
        taken.push_back(*closest);
        left.erase(closest);
    }
    return taken;
}

}  // namespace

double spearman(const std::vector<double> &a, const std::vector<double> &b) {
    if (a.size() != b.size() || a.size() < 3) {
        return std::numeric_limits<double>::quiet_NaN();
    }
    // Boost answers 1 or 0 for values that do not vary.
    return all_equal(a) || all_equal(b) ? std::numeric_limits<double>::quiet_NaN()
                                        : statistics::correlation_coefficient(ranks(a), ranks(b));
}

double median(std::vector<double> values) {
    values.erase(std::remove_if(values.begin(), values.end(), [](double v) { return std::isnan(v); }),
                 values.end());
    return values.empty() ? std::numeric_limits<double>::quiet_NaN() : statistics::median(values);
}

std::vector<size_t> select_plans(const std::vector<double> &predicted, size_t count) {
    if (predicted.empty() || count == 0) {
        return {};
    }
    std::vector<size_t> near, far;
    const double fastest = *std::min_element(predicted.begin(), predicted.end());
    for (size_t i = 1; i < predicted.size(); i++) {
        (predicted[i] <= 3 * fastest ? near : far).push_back(i);
    }
    for (std::vector<size_t> *kind : {&near, &far}) {
        std::sort(kind->begin(), kind->end(),
                  [&](size_t a, size_t b) { return predicted[a] < predicted[b]; });
    }
    const size_t others = count - 1,
                 wanted = std::max(others * 7 / 10, others - std::min(others, far.size()));
    std::vector<size_t> taken = {0};
    const std::vector<size_t> close = spread(near, predicted, std::min(near.size(), wanted));
    const std::vector<size_t> distant = spread(far, predicted, std::min(far.size(), others - close.size()));
    taken.insert(taken.end(), close.begin(), close.end());
    taken.insert(taken.end(), distant.begin(), distant.end());
    return taken;
}

}  // namespace eutectic::accuracy
