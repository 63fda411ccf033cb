#pragma once

// Every choice worth having on a small graph, by search.

#include "autodiff/residuals/choice/residual_graph.h"

#include <vector>

namespace eutectic {

/// More values than this with a choice to make are not searched.
constexpr int most_candidates = 20;

/// How many values there are with more than one way.
int candidates_of(const ResidualGraph &graph);

/// Adds to `found` what no choice in it is at least as good as, in peak() and in seconds: afterwards, for
/// every number of bytes, `found` has a fastest choice of all whose peak is within it. Exact; at most
/// 3^candidates steps, fewer the better `found` is to begin with.
void search_all(const ResidualGraph &graph, std::vector<ResidualChoice> &found);

/// The fastest choice of all; `start`, where none is faster. Exact.
ResidualChoice search_fastest(const ResidualGraph &graph, const ResidualChoice &start);

}  // namespace eutectic
