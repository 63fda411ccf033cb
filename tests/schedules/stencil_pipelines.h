#pragma once

#include <functional>
#include <string>
#include <vector>

#include "Halide.h"

namespace eutectic::test {

constexpr int stencil_columns = 48, stencil_rows = 32;  ///< of every output

/** Funcs before an output of these sizes, producers first; the output is the last. */
using Steps = std::vector<Halide::Func>;

struct Stencils {
    std::string what;
    std::function<Steps(Halide::Func)> make;  ///< of a source that has a value everywhere
};

/** Pipelines whose blocks have halos of every kind: taps, windows as reductions, resampling, several
 * accesses. Arguments are called x and y. */
const std::vector<Stencils> &stencil_pipelines();

}  // namespace eutectic::test
