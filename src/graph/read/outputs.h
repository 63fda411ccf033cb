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

/** The same once their loop levels are locked: what the user scheduled can be read only then. */
inline std::vector<Halide::Internal::Function> locked_outputs(const Halide::Pipeline &pipeline) {
    std::vector<Halide::Internal::Function> outputs = output_functions(pipeline);
    for (auto &[name, function] : Halide::Internal::build_environment(outputs)) {
        function.lock_loop_levels();
    }
    return outputs;
}

}  // namespace eutectic
