#include "apps/eutectic/pair.h"

#include <algorithm>
#include <map>

#include "autodiff/residuals/choice/residual.h"
#include "autodiff/tangents.h"
#include "base/nearest.h"
#include "base/regex.h"
#include "base/user_error.h"

namespace eutectic {

using namespace Halide;

std::string callers_name(const LoadedPipeline &loaded, const std::string &name) {
    for (const auto &[from, to] : loaded.renamed) {
        if (from == name) {
            return to;
        }
    }
    return name;
}

namespace {

std::string joined(const std::vector<std::string> &words) {
    std::string text;
    for (const std::string &w : words) {
        text += (text.empty() ? "" : ", ") + w;
    }
    return text.empty() ? "none" : text;
}

bool contains(const std::vector<std::string> &names, const std::string &name) {
    return std::count(names.begin(), names.end(), name) != 0;
}

/** "y$1" → "y": what Halide added to make a name unique. */
std::string without_number(const std::string &name) {
    return name.substr(0, name.find('$'));
}

/** Throws UserError for a name of `option` that is not in `known`: `what` it should be. */
void check_names(const std::vector<std::string> &names, const std::string &option, const std::string &what,
                 const std::string &subject, const std::vector<std::string> &all,
                 const std::vector<std::string> &known) {
    for (const std::string &name : names) {
        if (std::count(names.begin(), names.end(), name) > 1) {
            throw UserError(option + " names " + name + " twice: name each " + what + " once.");
        } else if (!contains(all, name)) {
            throw UserError(option + " names " + name + ", which is no " + what + " of " + subject + ": " +
                            nearest_or_all(name, known) + ".");
        } else if (!contains(known, name)) {
            throw UserError(option + " names " + name +
                            ", which is not of a floating-point type and has no gradient: those of " +
                            subject + " that have one are " + joined(known) + ".");
        }
    }
}

Parameter parameter_of(const LoadedPipeline &loaded, const Argument &a) {
    const auto read = loaded.parameters.find(a.name);
    return read != loaded.parameters.end() ? read->second
                                           : Parameter(a.type, a.is_buffer(), a.dimensions, a.name);
}

/** Sizes to plan for are on the Func, or on its buffers: puts them on both. */
void spread_estimates(const Func &output) {
    const auto estimates = output.function().schedule().estimates();
    for (const auto &buffer : output.output_buffers()) {
        Parameter p = buffer.parameter();
        for (int d = 0; d < p.dimensions(); d++) {
            for (const auto &bound : estimates) {
                if (bound.var == output.args()[d].name() && bound.min.defined() && bound.extent.defined()) {
                    p.set_min_constraint_estimate(d, bound.min);
                    p.set_extent_constraint_estimate(d, bound.extent);
                }
            }
        }
    }
}

DifferentiationProblem problem_of(const LoadedPipeline &loaded, const GradientOptions &options) {
    DifferentiationProblem problem = problem_of(loaded);
    problem.wrt = options.wrt;
    problem.of = options.of;
    problem.residuals.budget = options.budget;
    problem.accumulate = options.accumulate;
    problem.as_written = options.as_written;
    problem.rules = options.rules ? &*options.rules : nullptr;
    return problem;
}

/** Puts out `func` under this name. */
void add_output(const std::string &name, const Func &func, std::vector<Func> &outputs, LoadedPipeline &to) {
    outputs.push_back(func);
    const std::string own = func.output_buffers()[0].name();
    if (own != name) {
        to.renamed.emplace_back(own, name);
    }
}

/** What `differentiate` gives, or throws in the words of a generator's parameters. */
template<typename Differentiate>
auto in_words_of_options(const Differentiate &differentiate) {
    try {
        return differentiate();
    } catch (const UserError &e) {
        throw UserError(
            Regex("gradient_of").replace_in(Regex("gradient_wrt").replace_in(e.what(), "--wrt"), "--of"));
    }
}

void add_input(const ImageParam &p, LoadedPipeline &to) {
    to.inputs.push_back(buffer_argument(p.parameter()));
}

/** Gives the outputs of `loaded` the names that callers know: those of `arguments`, then of what is kept. */
void name_outputs(const std::vector<ContractArgument> &arguments, const std::vector<ContractResidual> &kept,
                  LoadedPipeline &loaded) {
    std::vector<std::string> names;
    for (const ContractArgument &a : arguments) {
        if (a.is_output) {
            names.push_back(a.name);
        }
    }
    for (const ContractResidual &r : kept) {
        names.push_back(r.info.name);
    }
    loaded.renamed.clear();
    size_t i = 0;
    for (const Func &f : loaded.pipeline.outputs()) {
        for (const auto &buffer : f.output_buffers()) {
            loaded.renamed.emplace_back(buffer.name(), names.at(i++));
        }
    }
}

}  // namespace

DifferentiationProblem problem_of(const LoadedPipeline &loaded) {
    DifferentiationProblem problem;
    for (const Argument &a : loaded.inputs) {
        problem.inputs.push_back(parameter_of(loaded, a));
    }
    const std::vector<std::string> names = output_names(loaded);
    for (size_t i = 0; i < names.size(); i++) {
        problem.outputs.push_back({names[i], loaded.pipeline.outputs()[i]});
        spread_estimates(problem.outputs.back().func);
    }
    return problem;
}

Argument buffer_argument(const Parameter &p) {
    return Argument(p.name(), Argument::InputBuffer, p.type(), p.dimensions(), p.get_argument_estimates());
}

std::vector<std::string> output_names(const LoadedPipeline &loaded) {
    std::vector<std::string> names;
    for (const Func &f : loaded.pipeline.outputs()) {
        const std::string name = f.outputs() == 1
                                     ? without_number(callers_name(loaded, f.output_buffers()[0].name()))
                                     : without_number(f.name());
        names.push_back(contains(names, name) ? f.name() : name);
    }
    return names;
}

void check_options(const GradientOptions &options, const LoadedPipeline &loaded, const std::string &subject) {
    std::vector<std::string> inputs, differentiable, outputs = output_names(loaded), floats;
    for (const Argument &a : loaded.inputs) {
        inputs.push_back(a.name);
        if (a.type.is_float()) {
            differentiable.push_back(a.name);
        }
    }
    for (size_t i = 0; i < outputs.size(); i++) {
        const std::vector<Type> types = loaded.pipeline.outputs()[i].types();
        if (std::any_of(types.begin(), types.end(), [](const Type &t) { return t.is_float(); })) {
            floats.push_back(outputs[i]);
        }
    }
    check_names(options.wrt, "--wrt", "input", subject, inputs, differentiable);
    check_names(options.of, "--of", "output", subject, outputs, floats);
    if (options.of.empty() && outputs.size() > 1) {
        throw UserError(subject + " has the outputs " + joined(outputs) +
                        ": say which of them is differentiated as --of " + outputs.front() + ".");
    } else if (options.of.empty() && floats.empty()) {
        throw UserError(subject + " has the output " + outputs.front() +
                        ", which is not of a floating-point type and has no gradient: differentiate before "
                        "it is rounded.");
    }
}

Pair make_pair_of(const LoadedPipeline &loaded, const GradientOptions &options) {
    const DifferentiationProblem problem = problem_of(loaded, options);
    const Differentiated result = in_words_of_options([&] { return differentiate(problem); });
    Pair pair;
    pair.contract = contract_of(problem, result);
    pair.forward = pair.backward = loaded;
    pair.residuals = {residual_rows(pair.contract), result.without_residual, result.temporary_bytes};
    pair.forward.residuals = pair.backward.residuals = residual_json(pair.residuals);

    std::vector<Func> outputs = loaded.pipeline.outputs(), gradients;
    for (const ResidualTensor &r : result.residuals) {
        outputs.push_back(r.forward);
    }
    pair.forward.pipeline = Pipeline(outputs);
    name_outputs(pair.contract.forward, pair.contract.residuals, pair.forward);

    for (const ImageParam &output : outputs_taken(problem, result)) {
        add_input(output, pair.backward);
    }
    for (const ImageParam &upstream : result.upstream) {
        add_input(upstream, pair.backward);
    }
    for (const ResidualTensor &r : result.residuals) {
        add_input(r.backward, pair.backward);
    }
    for (const ImageParam &given : result.given) {
        add_input(given, pair.backward);
    }
    for (const NamedOutput &gradient : result.gradients) {
        gradients.push_back(gradient.func);
    }
    pair.backward.pipeline = Pipeline(gradients);
    name_outputs(pair.contract.backward, {}, pair.backward);
    return pair;
}

LoadedPipeline make_tangents_of(const LoadedPipeline &loaded, const GradientOptions &options,
                                bool of_gradients) {
    LoadedPipeline result = loaded;
    result.renamed.clear();
    DifferentiationProblem problem = problem_of(loaded, options);
    const Tangents tangents = in_words_of_options([&] {
        if (!of_gradients) {
            return tangents_of(problem);
        }
        problem.joint = true;
        const Differentiated gradients = differentiate(problem);
        for (const ImageParam &upstream : gradients.upstream) {
            add_input(upstream, result);
        }
        return tangents_of(tangents_of_gradients(problem, gradients));
    });
    for (const ImageParam &t : tangents.inputs) {
        add_input(t, result);
    }
    std::vector<Func> outputs;
    for (const NamedOutput &value : tangents.values) {
        if (value.func.outputs() == 1) {
            add_output(value.name, value.func, outputs, result);
        } else {
            outputs.push_back(value.func);
        }
    }
    for (const NamedOutput &tangent : tangents.tangents) {
        add_output(tangent.name, tangent.func, outputs, result);
    }
    result.pipeline = Pipeline(outputs);
    return result;
}

}  // namespace eutectic
