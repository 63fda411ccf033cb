#pragma once

// What policies have in common that give parts of an update's terms a copy of all results each, and merge
// the copies: cpu/private_copies.cpp, gpu/copies.cpp, gpu/shared_copies.cpp.

#include <optional>

#include "fusion/policies/policy.h"

namespace eutectic {

/** The refusal of a root that is not alone, or has no one update of a Tuple or at coordinates that it
 * computes. */
std::optional<Offer> not_for_copies(const GroupRequest &request);

/** The refusal of an update whose parts may not be merged. */
std::optional<Offer> not_mergeable(const GroupRequest &request);

}  // namespace eutectic
