#pragma once

// What has no gradient here ends in a sentence; never in a gradient that is silently zero or wrong.

#include "autodiff/rules/rule.h"

#include "base/user_error.h"

#include <Halide.h>

#include <functional>
#include <string>

namespace eutectic {

/// 'Func "f" <is what>, which autodiff cannot differentiate; <remedy>.'
UserError unsupported(const Halide::Internal::Function &f, const std::string &what,
                      const std::string &remedy);

/// The same for an error of propagate_adjoints.
UserError unsupported_by_halide(const Halide::Internal::Function &f, const std::string &message);

/// Says whether the gradient of an input that was asked for passes through an element of a Func.
using IsActive = std::function<bool(const Halide::Internal::Function &, int element)>;

/// Refuses an extern definition.
void check_written_in_halide(const Halide::Internal::Function &f);

/// Checks f before propagate_adjoints sees it: on the way from active loads to the values, casts to integers
/// and conditions made values, where nothing else has a gradient (unless `zeros` may be), and calls whose
/// gradient Halide drops and `rules` do not have. How updates are reversed is updates.h's.
void check_supported(const Halide::Internal::Function &f, const IsActive &is_active, const RuleList &rules,
                     bool zeros = false);

}  // namespace eutectic
