#include "apps/eutectic/batched.h"

#include "apps/eutectic/pair.h"
#include "autodiff/batch.h"

namespace eutectic {

using namespace Halide;

void make_batch_of(LoadedPipeline &loaded, const std::vector<std::string> &over, int size) {
    const DifferentiationProblem problem = problem_of(loaded);
    const std::vector<Parameter> &inputs = problem.inputs;
    std::vector<std::string> buffers;  // of the outputs, as callers know them
    for (const NamedOutput &output : problem.outputs) {
        for (const auto &buffer : Func(output.func).output_buffers()) {
            buffers.push_back(callers_name(loaded, buffer.name()));
        }
    }
    const Batched result = batch(inputs, problem.outputs, over, size);
    for (size_t i = 0; i < inputs.size(); i++) {
        Parameter p = result.inputs[i];
        if (p.is_buffer() && !p.same_as(inputs[i])) {
            loaded.inputs[i] = buffer_argument(p);
            loaded.parameters[p.name()] = p;
        }
    }
    loaded.renamed.clear();
    std::vector<Func> funcs;
    size_t next = 0;
    for (const NamedOutput &output : result.outputs) {
        funcs.push_back(output.func);
        for (const auto &buffer : output.func.output_buffers()) {
            const std::string &name = buffers[next++];
            if (buffer.name() != name) {
                loaded.renamed.emplace_back(buffer.name(), name);
            }
        }
    }
    loaded.pipeline = Pipeline(funcs);
}

}  // namespace eutectic
