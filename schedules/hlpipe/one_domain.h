#pragma once

#include "Halide.h"

namespace eutectic {

/** Has the loop variables of each update share one reduction domain again. Halide (21) reads each variable of
 * a loop of several dimensions with a domain of its own, and then takes no definition that is made of two:
 * derivatives of such a pipeline, for example. Names, ranges and conditions stay. */
void use_one_domain_each(const Halide::Pipeline &pipeline);

}  // namespace eutectic
