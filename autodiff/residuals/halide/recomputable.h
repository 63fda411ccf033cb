#pragma once

// What a forward Func reads, and whether it can be recomputed in the backward.

#include "autodiff/expr_tools.h"

#include "base/verdict.h"

#include <Halide.h>

#include <functional>
#include <set>
#include <string>
#include <utility>

namespace eutectic {

/// A refusal says why not: an extern stage, or calls that may give another value.
Verdict may_recompute(const Halide::Internal::Function &f);

/// One value, no updates, no function beyond arithmetic.
bool is_cheap_body(const Halide::Internal::Function &f);

/// False for what is made of scalars and coordinates alone, as counter-based random numbers are.
bool is_decided_by_tensors(const Halide::Internal::Function &f);

/// Every call of a Func or an image in a definition: in the value, the left-hand side and the predicate.
void for_each_call(const StageBody &body, const std::function<void(const Halide::Internal::Call *)> &visit);

/// The elements of other Funcs that f's definitions load, inputs left out: (name, element).
std::set<std::pair<std::string, int>> loads_of(const Halide::Internal::Function &f);

}  // namespace eutectic
