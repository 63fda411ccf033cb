#include "autodiff/validate.h"

#include "autodiff/not_differentiable.h"

#include "base/user_error.h"

#include <algorithm>

using namespace Halide;
using namespace Halide::Internal;

namespace eutectic {

namespace {

std::string quoted_list(const std::vector<std::string> &names) {
    std::string text;
    for (const std::string &name : names) {
        text += (text.empty() ? "" : ", ") + name;
    }
    return text.empty() ? "none" : text;
}

bool can_differentiate(const Parameter &p) {
    return p.type().is_float();
}

}  // namespace

std::vector<std::string> inputs_asked_for(const DifferentiationProblem &problem) {
    std::vector<std::string> all;
    std::vector<std::string> buffers;
    for (const Parameter &p : problem.inputs) {
        if (can_differentiate(p)) {
            all.push_back(p.name());
        }
        if (can_differentiate(p) && p.is_buffer()) {
            buffers.push_back(p.name());
        }
    }
    if (problem.wrt.empty()) {
        const std::set<std::string> data = inputs_not_differentiable(functions_of(problem.outputs));
        buffers.erase(std::remove_if(buffers.begin(), buffers.end(),
                                     [&](const std::string &name) { return data.count(name) > 0; }),
                      buffers.end());
        if (buffers.empty() && !data.empty()) {
            throw UserError("Every floating-point buffer that the pipeline takes is marked as data by "
                            "not_differentiable, so that there is nothing to differentiate by; name the "
                            "inputs that have a gradient in gradient_wrt.");
        }
        return buffers;
    }
    for (const std::string &name : problem.wrt) {
        if (std::count(problem.wrt.begin(), problem.wrt.end(), name) > 1) {
            throw UserError("gradient_wrt names \"" + name + "\" twice; name each input once.");
        }
        const auto p = std::find_if(problem.inputs.begin(), problem.inputs.end(),
                                    [&](const Parameter &q) { return q.name() == name; });
        if (p == problem.inputs.end() || !can_differentiate(*p)) {
            const std::string what =
                p == problem.inputs.end() ? "is not an input" : "is not of a floating-point type";
            throw UserError("gradient_wrt names \"" + name + "\", which " + what +
                            "; the inputs that have a gradient are: " + quoted_list(all) + ".");
        }
    }
    return problem.wrt;
}

std::set<std::string> scalars_asked_for(const DifferentiationProblem &problem,
                                        const std::vector<std::string> &wrt) {
    std::set<std::string> names;
    for (const Parameter &p : problem.inputs) {
        if (!p.is_buffer() && std::count(wrt.begin(), wrt.end(), p.name())) {
            names.insert(p.name());
        }
    }
    return names;
}

std::set<std::string> output_funcs(const DifferentiationProblem &problem) {
    std::set<std::string> names;
    for (const NamedOutput &output : problem.outputs) {
        names.insert(output.func.name());
    }
    return names;
}

void check_outputs(const DifferentiationProblem &problem) {
    std::vector<std::string> known;
    for (const NamedOutput &output : problem.outputs) {
        const std::vector<Type> types = output.func.types();
        if (std::any_of(types.begin(), types.end(), [](const Type &t) { return t.is_float(); })) {
            known.push_back(output.name);
        }
    }
    for (const std::string &name : problem.of) {
        if (std::count(known.begin(), known.end(), name) == 0) {
            throw UserError("gradient_of names \"" + name +
                            "\", which is not an output of a floating-point type; the outputs that can be "
                            "differentiated are: " +
                            quoted_list(known) + ".");
        }
    }
}

}  // namespace eutectic
