#pragma once

#include "fusion/policies/policy.h"

namespace eutectic {

/** The loops of `nest` around `work` of the request's root as code that knows how far interleaved points lie
 * apart, so that neighbours of them are loaded and stored as whole vectors and shuffled, instead of lane by
 * lane: where the few dense points of each are a dim of the root, its loop is unrolled inside that from
 * vector to vector. A version of its own, which asks for the strides, unless the author has set them. Nothing
 * where no vector of the nest goes along interleaved points. */
std::optional<Nest> with_known_strides(const GroupRequest &q, const StageWork &work, const Nest &nest);

/** Does `nest` unroll the loop over all dense points of `func`, so that vectors along the interleaved ones
 * are stored together, at strides that are known? */
bool stores_side_by_side(const FuncInfo &func, const Nest &nest);

}  // namespace eutectic
