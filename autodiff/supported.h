#pragma once

// What has no gradient here ends in a sentence; never in a gradient that is silently zero or wrong.

#include "base/user_error.h"

#include <Halide.h>

#include <functional>
#include <string>

namespace eutectic {

/// 'Func "f" <is what>, which autodiff cannot differentiate; <remedy>.'
UserError unsupported(const Halide::Internal::Function &f, const std::string &what, const std::string &remedy);

/// The same for an error of propagate_adjoints.
UserError unsupported_by_halide(const Halide::Internal::Function &f, const std::string &message);

/// Checks f before propagate_adjoints sees it: tuples, extern definitions, predicates over pure variables, scans (whose
/// adjoint Halide gets wrong without a word), updates that are not linear in what they replace; and, on the
/// way from active loads to the value, casts to integers, conditions made values, and calls whose gradient Halide drops.
/// `is_active` says whether the gradient of an input that was asked for passes through a Func.
void check_supported(const Halide::Internal::Function &f, const std::function<bool(const Halide::Internal::Function &)> &is_active);

}  // namespace eutectic
