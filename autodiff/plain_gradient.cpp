// What Halide's own schedulers are given in a row of gradients: `plain_gradient` with `of=NAME` is the
// pipeline of the generator NAME and Halide's propagate_adjoints of it, in one kernel, so that both share
// what the forward computes.
//
//     of=NAME, gradient_wrt=a,b, any parameter of NAME:   (inputs, d_<output>) -> (output, d_a, d_b)
//
// propagate_adjoints gives up at a row's maximum. Reductions by max and min are therefore held constant:
// their value is read, and no gradient goes through them. Where they only keep exp() in range, as in softmax,
// theirs is zero.

#include "autodiff/estimates.h"
#include "autodiff/expr_tools.h"
#include "autodiff/generator.h"
#include "autodiff/inputs.h"
#include "autodiff/leaf.h"
#include "base/user_error.h"

#include <Halide.h>

#include <map>
#include <memory>
#include <sstream>

using namespace Halide;
using namespace Halide::Internal;

namespace eutectic {

namespace {

using ArgInfo = AbstractGenerator::ArgInfo;

bool is_extreme_reduction(const Function &f) {
    if (f.updates().size() != 1 || f.outputs() != 1) {
        return false;
    }
    const Expr &value = f.updates()[0].values()[0];
    return !f.updates()[0].schedule().rvars().empty() && (value.as<Max>() || value.as<Min>());
}

/// Func of the buffer input `name`.
Function func_of_input(const std::map<std::string, Function> &env, const std::string &name) {
    for (const auto &[func, function] : env) {
        const Parameter p = input_of(function);
        if (p.defined() && p.name() == name) {
            return function;
        }
    }
    throw UserError("plain_gradient was given gradient_wrt=" + name +
                    ", which is no input that the output depends on.");
}

class PlainGradient : public AbstractGenerator {
public:
    explicit PlainGradient(const GeneratorContext &context) : context_(context) {
    }

    std::string name() override {
        return "plain_gradient";
    }
    GeneratorContext context() const override {
        return inner().context();
    }
    std::vector<ArgInfo> arginfos() override {
        build();
        return infos_;
    }
    void set_generatorparam_value(const std::string &name, const std::string &value) override {
        if (name == "of") {
            of_ = value;
        } else if (name == "gradient_wrt") {
            std::istringstream names(value);
            for (std::string one; std::getline(names, one, ',');) {
                wrt_.push_back(one);
            }
        } else {
            params_.emplace_back(name, value);
        }
    }
    void set_generatorparam_value(const std::string &name, const LoopLevel &) override {
        throw UserError("plain_gradient has no loop level \"" + name + "\".");
    }
    Pipeline build_pipeline() override {
        build();
        std::vector<Func> outputs;
        for (const ArgInfo &info : infos_) {
            if (info.dir == ArgInfoDirection::Output) {
                outputs.push_back(funcs_.at(info.name));
            }
        }
        return Pipeline(outputs);
    }
    std::vector<Parameter> input_parameter(const std::string &name) override {
        return {parameters_.at(name)};
    }
    std::vector<Func> output_func(const std::string &name) override {
        return {funcs_.at(name)};
    }
    void bind_input(const std::string &, const std::vector<Parameter> &) override {
        refuse_binding();
    }
    void bind_input(const std::string &, const std::vector<Func> &) override {
        refuse_binding();
    }
    void bind_input(const std::string &, const std::vector<Expr> &) override {
        refuse_binding();
    }
    bool emit_cpp_stub(const std::string &) override {
        return false;
    }
    bool emit_hlpipe(const std::string &) override {
        return false;
    }
    bool allow_out_of_order_inputs_and_outputs() const override {
        return false;
    }

private:
    [[noreturn]] static void refuse_binding() {
        throw UserError("plain_gradient takes buffers and scalars of its caller only.");
    }

    /// Created when its name and parameters are known, which is after this one has been.
    AbstractGenerator &inner() const {
        if (!inner_) {
            inner_ = GeneratorRegistry::create(of_, context_);
            if (!inner_) {
                throw UserError("plain_gradient was given of=" + of_ + ", and there is no such generator.");
            }
            for (const auto &[name, value] : params_) {
                inner_->set_generatorparam_value(name, value);
            }
        }
        return *inner_;
    }

    void build() {
        if (!infos_.empty()) {
            return;
        }
        const std::vector<ArgInfo> infos = inner().arginfos();
        const DifferentiationProblem problem = problem_of(inner());
        if (problem.outputs.size() != 1) {
            throw UserError("plain_gradient takes generators with one output, and " + of_ + " has more.");
        }
        for (const Parameter &p : problem.inputs) {
            parameters_.emplace(p.name(), p);
        }
        const NamedOutput &output = problem.outputs[0];
        const ImageParam upstream(output.func.type(), output.func.dimensions(), "d_" + output.name);
        copy_sizes(output.func, 0, upstream);
        const Derivative derivative = differentiate(output.func, upstream);
        add(infos, upstream);
        const std::map<std::string, Function> env = build_environment({output.func.function()});
        for (const std::string &name : wrt_) {
            add_gradient(name, derivative(Func(func_of_input(env, name))));
        }
    }

    void add(const std::vector<ArgInfo> &infos, const ImageParam &upstream) {
        const ArgInfo given{upstream.name(),
                            ArgInfoDirection::Input,
                            ArgInfoKind::Buffer,
                            {upstream.type()},
                            upstream.dimensions()};
        parameters_.emplace(upstream.name(), upstream.parameter());
        for (const ArgInfo &info : infos) {
            if (info.dir == ArgInfoDirection::Output) {
                infos_.push_back(given);
                funcs_[info.name] = inner().output_func(info.name)[0];
            }
            infos_.push_back(info);
        }
    }

    void add_gradient(const std::string &of, const Func &adjoint) {
        if (!adjoint.defined()) {
            throw UserError("propagate_adjoints gives no gradient of input \"" + of + "\".");
        }
        const Parameter &p = parameters_.at(of);
        std::vector<Var> vars;
        for (int d = 0; d < p.dimensions(); d++) {
            vars.emplace_back("d" + std::to_string(d));
        }
        Func gradient("d_" + of);
        gradient(vars) = adjoint(vars);
        copy_sizes(p, gradient);
        infos_.push_back(
            {gradient.name(), ArgInfoDirection::Output, ArgInfoKind::Buffer, {p.type()}, p.dimensions()});
        funcs_[gradient.name()] = gradient;
    }

    static Derivative differentiate(Func output, const ImageParam &upstream) {
        read_inputs_through_funcs({output.function()}, {});
        const std::map<std::string, Function> env = build_environment({output.function()});
        std::vector<std::pair<Function, Func>> held;
        for (const auto &[name, f] : env) {
            if (!is_extreme_reduction(f)) {
                continue;
            }
            const Func leaf = make_leaf("held_" + name, f.args(), f.output_types()[0]);
            for (const auto &[reader, function] : env) {
                if (reader != name) {
                    Function(function).substitute_calls(f, leaf.function());
                }
            }
            held.emplace_back(f, leaf);
        }
        Func adjoint("adjoint");  // zero outside, as the overload for buffers has it
        if (output.dimensions() > 0) {
            adjoint = BoundaryConditions::constant_exterior(upstream, make_zero(output.type()));
        } else {
            adjoint() = upstream();
        }
        Region region;  // each pair is read as minimum and maximum
        for (int d = 0; d < output.dimensions(); d++) {
            region.emplace_back(upstream.dim(d).min(), upstream.dim(d).extent() - 1);
        }
        const Derivative derivative = propagate_adjoints(output, adjoint, region);
        for (auto &[f, leaf] : held) {
            leaf.function().definition().values()[0] = Call::make(f, leaf.function().definition().args());
        }
        return derivative;
    }

    const GeneratorContext context_;
    std::string of_;
    std::vector<std::string> wrt_;
    std::vector<std::pair<std::string, std::string>> params_;
    mutable std::unique_ptr<AbstractGenerator> inner_;
    std::vector<ArgInfo> infos_;
    std::map<std::string, Parameter> parameters_;
    std::map<std::string, Func> funcs_;
};

const RegisterGenerator registered("plain_gradient", [](const GeneratorContext &context) {
    return std::make_unique<PlainGradient>(context);
});

}  // namespace

}  // namespace eutectic
