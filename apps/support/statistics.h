#pragma once

#include <optional>
#include <vector>

namespace eutectic {

/// What is told of a contender's times, in seconds.
struct Summary {
    double minimum, first_quartile, median, third_quartile;
};

/// The value below which the share `q` (0 … 1) of the samples lies, interpolated linearly between
/// neighbours (R's type 7). `sorted` ascends and is not empty.
double quantile(const std::vector<double> &sorted, double q);

/// At least one sample; in any order.
Summary summarize(std::vector<double> samples);

/// Of positive ratios, as they come.
class GeometricMean {
public:
    void add(double ratio);
    int count() const {
        return count_;
    }
    /// Nothing of none.
    std::optional<double> value() const;

private:
    double logarithms_ = 0;
    int count_ = 0;
};

}  // namespace eutectic
