#pragma once

#include "tests/fuzz/check.h"

namespace eutectic::test {

/** check_recipe() in a process of its own: what ends that process is a failure of the recipe, too, with the
 * schedule that it was compiling or running. The caller must not have threads. */
Outcome check_isolated(const Recipe &recipe);

}  // namespace eutectic::test
