#pragma once

// Why a value is had as it is: against the best choice that has this one value in another way.

#include "autodiff/residuals/choice/residual_graph.h"

#include <optional>
#include <string>

namespace eutectic {

/// The fastest choice that has value `v` in another way than `choice` has it, and all others as they are,
/// except that what is needed then is kept too, and what is needed no more is not. Nothing where `v` is not
/// needed or has one way.
std::optional<ResidualChoice> best_otherwise(const ResidualGraph &graph, const ResidualChoice &choice,
                                             size_t v);

/// A choice that no best_otherwise() is faster than: `choice`, or what those lead to.
ResidualChoice improved(const ResidualGraph &graph, ResidualChoice choice);

/// A sentence: how v is had, and by how much forward and backward would take longer otherwise. Under a budget
/// they may take less otherwise.
std::string reason_of(const ResidualGraph &graph, const ResidualChoice &choice, size_t v);

}  // namespace eutectic
