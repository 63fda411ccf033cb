#pragma once

#include <string>
#include <vector>

#include "Halide.h"

namespace eutectic::test {

/** The graph that is read of a pipeline, without names. */
std::string text_of(const std::vector<Halide::Func> &outputs);

}  // namespace eutectic::test
