#include "autodiff/not_differentiable.h"

#include "autodiff/expr_tools.h"

#include "base/user_error.h"

using namespace Halide;
using namespace Halide::Internal;

namespace eutectic {

namespace {

const std::string tag = "eutectic.not_differentiable";

}  // namespace

Func not_differentiable(Func input) {
    if (!has_trace_tag(input.function(), tag)) {
        input.add_trace_tag(tag);
    }
    return input;
}

std::set<std::string> inputs_not_differentiable(const std::vector<Function> &outputs) {
    std::set<std::string> names;
    for (const auto &[name, f] : build_environment(outputs)) {
        if (!has_trace_tag(f, tag)) {
            continue;
        }
        const Parameter input = input_of(f);
        if (!input.defined()) {
            throw UserError("not_differentiable was given the Func \"" + name +
                            "\", which is no input; let no gradient pass through it by stop_gradient.");
        }
        names.insert(input.name());
    }
    return names;
}

}  // namespace eutectic
