#include "apps/eutectic/batched.h"

#include "apps/eutectic/pair.h"
#include "autodiff/batch.h"

namespace eutectic {

using namespace Halide;

void make_batch_of(LoadedPipeline &loaded, const std::vector<std::string> &over, int size) {
    std::vector<Parameter> inputs;
    for (const Argument &a : loaded.inputs) {
        inputs.push_back(parameter_of(loaded, a));
    }
    std::vector<NamedOutput> outputs;
    std::vector<std::string> buffers;  // as callers know them
    const std::vector<std::string> names = output_names(loaded);
    for (size_t i = 0; i < names.size(); i++) {
        outputs.push_back({names[i], loaded.pipeline.outputs()[i]});
        spread_estimates(outputs.back().func);
        for (const auto &buffer : outputs.back().func.output_buffers()) {
            buffers.push_back(callers_name(loaded, buffer.name()));
        }
    }
    const Batched result = batch(inputs, outputs, over, size);
    for (size_t i = 0; i < inputs.size(); i++) {
        Parameter p = result.inputs[i];
        if (p.is_buffer() && !p.same_as(inputs[i])) {
            loaded.inputs[i] = Argument(p.name(), Argument::InputBuffer, p.type(), p.dimensions(),
                                        p.get_argument_estimates());
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
