#pragma once

// Functions whose arguments are not in the order of Halide's pipelines.

#include <string>
#include <vector>

#include "Halide.h"

namespace eutectic {

/** Gives the function `name` of `module` its arguments in another order: `order` has, of each that it takes
 * now, which of the new ones that is. Where several are one, which then is the last of them in kind, the
 * function is put in front of the one that was there. Nothing where `order` is empty. */
void reorder_arguments(const std::string &name, const std::vector<size_t> &order, Halide::Module &module);

}  // namespace eutectic
