#pragma once

#include "Halide.h"

#include "machine/machine.h"

namespace eutectic {

/** What the cost model needs of `target`. Throws UserError for targets with a GPU feature, which have no policies yet. */
TargetDescription describe(const Halide::Target &target);

}  // namespace eutectic
