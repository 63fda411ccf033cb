#pragma once

#include "apps/bench/contest.h"
#include "apps/support/statistics.h"

#include <map>
#include <string>
#include <vector>

namespace eutectic::bench {

/// How many times as fast a contender is than an opponent: the geometric mean over the rows in which both
/// were timed.
struct Mean {
    double ratio = 0;
    double worst = 0;  ///< the smallest of the ratios
    std::string worst_row;
    int rows = 0;
    GeometricMean ratios;  ///< what `ratio` is the mean of
};

/// By opponent:
///     best_peer        the fastest peer of each row
///     best_peer_table  the same, over the rows of which it is known how fast a hand schedule is
///     (Row::by_hand) best_halide      the fastest of Halide's own schedulers manual           the manual
///     schedule, over the rows in which it is good enough to count
/// Opponents that no row has are missing.
using Means = std::map<std::string, Mean>;

/// Of each contender. Rows that do not count (Row::counts) are left out.
std::map<std::string, Means> geometric_means(const Suite &suite, const std::vector<Outcome> &outcomes);

/// Whether the manual schedule of a row is a worthy opponent: at least 0.9 of what a hand schedule is known
/// to reach against the best peer of the same run, or, where that is not known, the best of at least 50
/// variants.
bool manual_counts(const Row &row, const Outcome &outcome);

}  // namespace eutectic::bench
