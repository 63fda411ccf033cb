#pragma once

#include <vector>

#include "Halide.h"

namespace eutectic {

/** What a pipeline's outputs are, as Halide's passes take them. */
inline std::vector<Halide::Internal::Function> output_functions(const Halide::Pipeline &pipeline) {
    std::vector<Halide::Internal::Function> outputs;
    for (const Halide::Func &f : pipeline.outputs()) {
        outputs.push_back(f.function());
    }
    return outputs;
}

}  // namespace eutectic
