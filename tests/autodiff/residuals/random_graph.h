#pragma once

// Residual graphs for tests.

#include "autodiff/residuals/choice/residual_graph.h"

#include <functional>
#include <optional>

namespace eutectic::test {

/// A random graph of `count` values: about half are read, most have a recipe of up to three earlier values,
/// some may not be kept or have a rewrite from a later value. Without temporaries unless `scratch`, and with
/// them some recipes can be written out.
ResidualGraph random_graph(unsigned seed, int count, bool scratch);

/// A chain of `count` tensors of `bytes`, each read and made of the one before in `seconds`; keeping costs a
/// tenth of that.
ResidualGraph chain(int count, Bytes bytes, Seconds seconds);

/// Every choice that has all that it needs and nothing else. No bounds, no prices: a reference for searches.
void for_each_choice(const ResidualGraph &graph, const std::function<void(const ResidualChoice &)> &visit);

/// The least seconds of all choices with at most `budget` bytes of residuals (with_scratch: of peak), by
/// trying every one; nothing when none is within it.
std::optional<Seconds> by_brute_force(const ResidualGraph &graph, Bytes budget, bool with_scratch);

}  // namespace eutectic::test
