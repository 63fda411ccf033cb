#include "autodiff/generator.h"

#include "autodiff/generator_batch.h"
#include "autodiff/generator_files.h"

#include "autodiff/contract/contract.h"
#include "autodiff/tangents.h"

#include "base/user_error.h"
#include "base/write_whole.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <set>

using namespace Halide;
using namespace Halide::Internal;

namespace eutectic {

namespace {

using ArgInfo = AbstractGenerator::ArgInfo;

bool parse_flag(const std::string &name, const std::string &value) {
    if (value != "true" && value != "1" && value != "false" && value != "0") {
        throw UserError("The generator parameter " + name + " was given as \"" + value +
                        "\"; write true or false.");
    }
    return value == "true" || value == "1";
}

class GradientGenerator : public AbstractGenerator {
public:
    GradientGenerator(std::string name, GradientPart part, const GeneratorContext &context,
                      const GeneratorFactory &inner, RuleList rules)
        : name_(std::move(name)), part_(part), inner_(inner(context)), rules_(std::move(rules)) {
    }

    std::string name() override {
        return name_;
    }
    /// The wrapped generator's own: it holds the target and the autoscheduler's parameters, which are given
    /// as generator parameters. Eutectic's scheduler is also told what is kept, for its report.
    GeneratorContext context() const override {
        const GeneratorContext context = inner_->context();
        AutoschedulerParams params = context.autoscheduler_params();
        if (!built_ || params.name != "Eutectic" || !is_of_pair()) {
            return context;
        }
        params.extra["residuals"] = nlohmann::ordered_json::parse(residual_json(residuals_))
                                        .dump();  // on one line, as a parameter is
        return GeneratorContext(context.target(), params);
    }
    std::vector<ArgInfo> arginfos() override {
        build();
        return infos_;
    }

    void set_generatorparam_value(const std::string &name, const std::string &value) override {
        static const std::set<std::string> of_pairs{
            "residual_report",    "residual_header", "residual_comment", "budget",
            "residuals_policy",   "value_ranges",    "pair_report",      "pair_files",
            "backward_interface", "accumulate"};
        if (!is_of_pair() && of_pairs.count(name)) {
            throw UserError(name + "=" + value + " was given to " + name_ +
                            ", which keeps nothing between two calls; leave it out, or take the pair, "
                            "_forward and _backward.");
        }
        if (name == "gradient_wrt") {
            wrt_ = split_names(value);
        } else if (name == "gradient_of") {
            of_ = split_names(value);
        } else if (name == "differentiation_time") {
            time_ = value;
        } else if (name == "budget") {
            options_.budget = parse_budget(value);
        } else if (name == "residuals_policy") {
            options_.policy = parse_residual_policy(value);
        } else if (name == "accumulate") {
            accumulate_ = parse_flag(name, value);
        } else if (name == "value_ranges") {
            options_.ranges = parse_ranges(value);
        } else if (!files_.take(name, value) && !batch_.take(name, value)) {
            inner_->set_generatorparam_value(name, value);
        }
    }
    void set_generatorparam_value(const std::string &name, const LoopLevel &level) override {
        inner_->set_generatorparam_value(name, level);
    }

    Pipeline build_pipeline() override {
        build();
        std::vector<Func> outputs;
        for (const ArgInfo &info : infos_) {
            if (info.dir == ArgInfoDirection::Output) {
                outputs.push_back(output_func(info.name)[0]);
            }
        }
        return Pipeline(outputs);
    }
    std::vector<Parameter> input_parameter(const std::string &name) override {
        build();
        return {parameters_.at(name)};
    }
    std::vector<Func> output_func(const std::string &name) override {
        build();
        return {funcs_.at(name)};
    }

    void bind_input(const std::string &name, const std::vector<Parameter> &v) override {
        inner_->bind_input(name, v);
    }
    void bind_input(const std::string &name, const std::vector<Func> &) override {
        throw UserError(
            "Input \"" + name + "\" of generator \"" + name_ +
            "\" was bound to a Func, but a differentiated generator takes buffers and scalars only.");
    }
    void bind_input(const std::string &name, const std::vector<Expr> &) override {
        throw UserError(
            "Input \"" + name + "\" of generator \"" + name_ +
            "\" was bound to an expression, but a differentiated generator takes buffers and scalars only.");
    }

    bool emit_cpp_stub(const std::string &) override {
        return false;
    }
    bool emit_hlpipe(const std::string &path) override {
        std::map<std::string, Parameter> parameters;
        serialize_pipeline(build_pipeline(), path, parameters);
        return true;
    }
    bool allow_out_of_order_inputs_and_outputs() const override {
        return false;
    }

private:
    void build() {
        if (built_) {
            return;
        }
        built_ = true;
        std::vector<ArgInfo> original = inner_->arginfos();
        DifferentiationProblem problem = problem_of(*inner_);
        batch_.check(name_, part_);
        if (batch_.is_asked_for(part_) && !batch_.is_last()) {
            batch_.apply(problem.inputs, problem.outputs, original);
        }
        derive(original, problem);
        if (batch_.is_asked_for(part_) && batch_.is_last()) {
            batch_all();
        }
    }

    void derive(const std::vector<ArgInfo> &original, DifferentiationProblem &problem) {
        if (part_ == GradientPart::batched) {
            describe_inputs(original, problem, {});
            describe_tangents({{}, problem.outputs, {}}, original);
            return;
        }
        problem.wrt = wrt_;
        problem.of = of_;
        problem.rules = &rules_;
        problem.residuals = options_;
        problem.as_written = inner_->context().target().has_feature(Target::StrictFloat);
        problem.accumulate = accumulate_;
        if (accumulate_ && inner_->context().target().has_gpu_feature()) {
            throw UserError("accumulate=true was given to " + name_ + " for the target " +
                            inner_->context().target().to_string() +
                            ", and kernels for CPUs add to what buffers hold; leave it out for that target.");
        }
        problem.joint = part_ == GradientPart::joint || part_ == GradientPart::hvp;
        if (part_ == GradientPart::tangent) {
            describe_inputs(original, problem, {});
            describe_tangents(tangents_of(problem), original);
            return;
        }
        const auto start = std::chrono::steady_clock::now();
        const Differentiated result = differentiate(problem);
        if (!time_.empty()) {
            write_whole("time of differentiation", time_,
                        std::to_string(
                            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count()) +
                            "\n");
        }
        if (part_ == GradientPart::hvp) {
            describe_inputs(original, problem, result.upstream);
            describe_hvp(original, problem, result);
            return;
        }
        if (problem.joint) {
            describe_inputs(original, problem, result.upstream);
            describe_tangents({{}, problem.outputs, result.gradients}, original);
            return;
        }
        if (part_ == GradientPart::forward) {
            describe_forward(original, problem, result);
        } else {
            describe_backward(original, problem, result);
        }
        Contract contract = contract_of(problem, result);
        contract.user_context = inner_->context().target().has_feature(Target::UserContext);
        residuals_.kept = residual_rows(contract);
        residuals_.others = result.without_residual;
        residuals_.scratch = result.temporary_bytes;
        files_.write(contract, residuals_, part_ == GradientPart::forward);
    }

    void describe_forward(const std::vector<ArgInfo> &original, const DifferentiationProblem &problem,
                          const Differentiated &result) {
        for (const ArgInfo &info : original) {
            infos_.push_back(info);
        }
        for (const Parameter &p : problem.inputs) {
            parameters_.emplace(p.name(), p);
        }
        for (const NamedOutput &output : problem.outputs) {
            funcs_[output.name] = output.func;
        }
        for (const ResidualTensor &r : result.residuals) {
            add_output({r.info.name, r.forward});
        }
    }

    // Everything that was made.
    void batch_all() {
        std::vector<Parameter> inputs;
        std::vector<NamedOutput> outputs;
        for (const ArgInfo &info : infos_) {
            if (info.dir == ArgInfoDirection::Input) {
                inputs.push_back(parameters_.at(info.name));
            } else {
                outputs.push_back({info.name, funcs_.at(info.name)});
            }
        }
        batch_.apply(inputs, outputs, infos_);
        for (const Parameter &p : inputs) {
            parameters_[p.name()] = p;
        }
        for (const NamedOutput &output : outputs) {
            funcs_[output.name] = output.func;
        }
    }

    bool is_of_pair() const {
        return part_ == GradientPart::forward || part_ == GradientPart::backward;
    }

    void add_infos(const std::vector<ArgInfo> &original, ArgInfoDirection direction) {
        std::copy_if(original.begin(), original.end(), std::back_inserter(infos_),
                     [&](const ArgInfo &info) { return info.dir == direction; });
    }

    void describe_inputs(const std::vector<ArgInfo> &original, const DifferentiationProblem &problem,
                         const std::vector<ImageParam> &upstream) {
        add_infos(original, ArgInfoDirection::Input);
        for (const Parameter &p : problem.inputs) {
            parameters_.emplace(p.name(), p);
        }
        for (const ImageParam &p : upstream) {
            add_input(p);
        }
    }

    // Outputs that are not the generator's own have no ArgInfo there.
    void describe_tangents(const Tangents &result, const std::vector<ArgInfo> &original) {
        for (const ImageParam &p : result.inputs) {
            add_input(p);
        }
        add_infos(original, ArgInfoDirection::Output);
        for (const NamedOutput &value : result.values) {
            const bool is_original = std::any_of(original.begin(), original.end(), [&](const ArgInfo &info) {
                return info.dir == ArgInfoDirection::Output && info.name == value.name;
            });
            if (is_original) {
                funcs_[value.name] = value.func;
            } else {
                add_output(value);
            }
        }
        for (const NamedOutput &tangent : result.tangents) {
            add_output(tangent);
        }
    }

    void describe_hvp(const std::vector<ArgInfo> &original, const DifferentiationProblem &problem,
                      const Differentiated &gradient) {
        describe_tangents(tangents_of(tangents_of_gradients(problem, gradient)), original);
    }

    // Everything that callers may have to hand over, whatever of it is read.
    void describe_backward(const std::vector<ArgInfo> &original, const DifferentiationProblem &problem,
                           const Differentiated &result) {
        describe_inputs(original, problem, {});
        for (const ImageParam &p : outputs_taken(problem, result)) {
            add_input(p);
        }
        for (const ImageParam &p : result.upstream) {
            add_input(p);
        }
        for (const ResidualTensor &r : result.residuals) {
            add_input(r.backward);
        }
        for (const ImageParam &p : result.given) {
            add_input(p);
        }
        for (const NamedOutput &gradient : result.gradients) {
            add_output(gradient);
        }
    }

    void add_input(const ImageParam &p) {
        infos_.push_back(
            {p.name(), ArgInfoDirection::Input, ArgInfoKind::Buffer, {p.type()}, p.dimensions()});
        parameters_.emplace(p.name(), p.parameter());
    }
    void add_output(const NamedOutput &output) {
        infos_.push_back({output.name, ArgInfoDirection::Output, ArgInfoKind::Buffer, output.func.types(),
                          output.func.dimensions()});
        funcs_[output.name] = output.func;
    }

    const std::string name_;
    const GradientPart part_;
    const std::unique_ptr<AbstractGenerator> inner_;
    const RuleList rules_;
    GeneratorBatch batch_;
    GeneratorFiles files_;
    std::vector<std::string> wrt_, of_;
    std::string time_;
    ResidualReport residuals_;
    ResidualOptions options_;
    bool accumulate_ = false;
    bool built_ = false;
    std::vector<ArgInfo> infos_;
    std::map<std::string, Parameter> parameters_;
    std::map<std::string, Func> funcs_;
};

}  // namespace

DifferentiationProblem problem_of(AbstractGenerator &generator) {
    DifferentiationProblem problem;
    const std::vector<ArgInfo> infos = generator.arginfos();
    generator.build_pipeline();
    for (const ArgInfo &info : infos) {
        const bool is_input = info.dir == ArgInfoDirection::Input;
        const size_t count =
            is_input ? generator.input_parameter(info.name).size() : generator.output_func(info.name).size();
        if (count != 1) {
            throw UserError(
                "Argument \"" + info.name + "\" of generator \"" + generator.name() +
                "\" is an array, which autodiff does not take; give each element a name of its own.");
        }
        if (is_input) {
            problem.inputs.push_back(generator.input_parameter(info.name)[0]);
        } else {
            problem.outputs.push_back({info.name, generator.output_func(info.name)[0]});
        }
    }
    return problem;
}

std::unique_ptr<AbstractGenerator> make_gradient_generator(const std::string &name, GradientPart part,
                                                           const GeneratorContext &context,
                                                           const GeneratorFactory &inner,
                                                           const RuleList &rules) {
    return std::make_unique<GradientGenerator>(name, part, context, inner, rules);
}

}  // namespace eutectic
