#pragma once

#include <cstddef>
#include <vector>

namespace eutectic::accuracy {

/// Spearman's rank correlation: Pearson's of the ranks, equal values sharing the mean of theirs. NaN for
/// fewer than 3 pairs and where all of one are equal.
double spearman(const std::vector<double> &a, const std::vector<double> &b);

/// The middle value, or the mean of the two middle ones; NaN for none. NaNs are left out.
double median(std::vector<double> values);

/// Which plans a study times, as indices into `predicted`, whose first is the chosen plan and always taken:
/// `count` of them, 7 in 10 predicted within 3 times of the fastest, the rest slower (each kind fills up for
/// the other where there are too few). Within a kind they are spread evenly over the logarithm of the
/// prediction, since plans of one price cannot tell whether prices are right. `count` or all that there are.
std::vector<size_t> select_plans(const std::vector<double> &predicted, size_t count);

}  // namespace eutectic::accuracy
