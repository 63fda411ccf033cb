#pragma once

// Where rules meet the tape.

#include "autodiff/rules/rule.h"
#include "autodiff/tape.h"

#include <Halide.h>

namespace eutectic {

/// Tries the rules in order at the forward Func f, whose adjoint is `adjoint`. True when one matched, and has
/// contributed to what f reads.
bool apply_first_rule(Tape &tape, const Halide::Internal::Function &f, const Halide::Func &adjoint,
                      const RuleList &rules);

}  // namespace eutectic
