#pragma once

#include "cost/cost.h"

namespace eutectic {

/** Do the parts of a stage that was read from a text fit together, as those of every planned one do: does
 * each loop, load and part name dims that the stage has? Throws std::runtime_error, saying what does not. */
void require_consistent(const NestedStage &stage);

}  // namespace eutectic
