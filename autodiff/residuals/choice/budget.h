#pragma once

// Which choice is taken: by cost, under a budget, or one of the naive extremes to compare with.

#include "autodiff/residuals/choice/residual_graph.h"

#include <optional>
#include <vector>

namespace eutectic {

enum class ResidualPolicy {
    cost,           ///< the fastest; under a budget, the fastest within it
    save_all,       ///< every tensor that the backward reads is kept
    recompute_all,  ///< whatever can be recomputed is, and masks and the like are kept only where they cannot
};

/// The fastest choice, which is the one without a budget: a minimum cut where that is exact (cut.h), the best
/// of all on other small graphs (exact.h), and on larger ones what no other way of one value makes faster.
ResidualChoice fastest(const ResidualGraph &graph);

/// Choices, fastest() first, each slower and smaller than the one before, in bytes of residuals (or the same;
/// the first may have fewer, where what has a smaller peak needs more of them) and in peak (less): the
/// corners of a sweep over the price of a byte by minimum cuts, choices in segments (see segments.h), and on
/// small graphs all (exact.h). It depends on the graph alone, so that what a budget takes from it never grows
/// when the budget shrinks.
std::vector<ResidualChoice> choices_of(const ResidualGraph &graph);

/// `budget` bounds the choice's peak(): residual bytes between the two calls plus the larger estimated peak
/// of temporaries. UserError: a budget below the least possible, with that least, a budget where an estimate
/// is missing, or a budget with an extreme.
ResidualChoice choose(const ResidualGraph &graph, ResidualPolicy policy, std::optional<Bytes> budget);

}  // namespace eutectic
