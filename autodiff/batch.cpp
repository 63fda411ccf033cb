#include "autodiff/batch.h"

#include "autodiff/estimates.h"
#include "autodiff/expr_tools.h"
#include "autodiff/leaf.h"

#include "base/user_error.h"

#include <algorithm>
#include <map>

using namespace Halide;
using namespace Halide::Internal;

namespace eutectic {

namespace {

std::string joined(const std::vector<Parameter> &inputs) {
    std::string text;
    for (const Parameter &p : inputs) {
        text += (text.empty() ? "" : ", ") + p.name();
    }
    return text.empty() ? "none" : text;
}

void check(const std::vector<Parameter> &inputs, const std::vector<std::string> &over, int size) {
    if (over.empty()) {
        throw UserError(
            "A batch was asked for and no input named of which each example has its own; name one of " +
            joined(inputs) + ".");
    }
    if (size < 1) {
        throw UserError("A batch of " + std::to_string(size) + " was asked for; give 1 and more.");
    }
    for (const std::string &name : over) {
        if (std::count(over.begin(), over.end(), name) > 1) {
            throw UserError("The batch names \"" + name + "\" twice; name each input once.");
        }
        if (std::none_of(inputs.begin(), inputs.end(),
                         [&](const Parameter &p) { return p.name() == name; })) {
            throw UserError("The batch names \"" + name +
                            "\", which is not an input; the inputs are: " + joined(inputs) + ".");
        }
    }
}

// The same buffer with one more dimension, or a scalar as a buffer of one.
Parameter with_batch(const Parameter &p, int size) {
    const int dimensions = p.is_buffer() ? p.dimensions() : 0;
    Parameter result(p.type(), true, dimensions + 1, p.name());
    if (p.is_buffer()) {
        copy_constraints(p, result);
    }
    result.set_min_constraint_estimate(dimensions, 0);
    result.set_extent_constraint_estimate(dimensions, size);
    return result;
}

class Batching {
public:
    Batching(const std::vector<Parameter> &inputs, const std::vector<std::string> &over, int size,
             std::string prefix = "")
        : var_(unique_name("example")), size_(size), prefix_(std::move(prefix)) {
        for (const Parameter &p : inputs) {
            if (std::count(over.begin(), over.end(), p.name())) {
                parameters_.emplace(p.name(), with_batch(p, size));
            }
        }
    }

    Parameter parameter(const Parameter &p) const {
        const auto found = parameters_.find(p.name());
        return found == parameters_.end() ? p : found->second;
    }

    std::vector<NamedOutput> rebuilt(const std::vector<NamedOutput> &outputs) {
        std::map<std::string, Func> own;
        for (const Function &f : computing_order(functions_of(outputs))) {
            own.emplace(f.name(), rebuilt(f));
        }
        std::vector<NamedOutput> result;
        for (const NamedOutput &output : outputs) {
            result.push_back({output.name, own.at(output.func.name())});
            copy_estimates(output.func, result.back().func);
        }
        return result;
    }

private:
    struct Rebuilt {
        Func func;
        bool batched = false;
    };

    Func rebuilt(const Function &f) {
        if (f.has_extern_definition()) {
            check_extern(f);
            funcs_.emplace(f.name(), Rebuilt{Func(f), false});
            return Func(f);
        }
        const bool batched = reads_batch(f);
        Rebuilt &own =
            funcs_.emplace(f.name(), Rebuilt{Func(prefix_ + given_name(f.name())), batched}).first->second;
        for (const std::string &tag : f.get_trace_tags()) {
            own.func.add_trace_tag(tag);
        }
        const size_t stages = f.updates().size() + 1;
        for (size_t stage = 0; stage < stages; stage++) {
            define(f, stage, own);
        }
        return own.func;
    }

    // Sizes to plan for, and those that are constants.
    void copy_estimates(Func from, Func to) const {
        for (int element = 0; element < from.outputs(); element++) {
            copy_sizes(from.output_buffers()[element].parameter(), to, element);
        }
        if (to.dimensions() > from.dimensions()) {
            to.set_estimate(to.args().back(), 0, size_);
        }
    }

    class Rewrite : public IRGraphMutator {
    public:
        Rewrite(const Batching &batching, std::map<std::string, Expr> variables)
            : batching_(batching), variables_(std::move(variables)) {
        }

    private:
        using IRGraphMutator::visit;

        Expr visit(const Variable *op) override {
            const auto renamed = variables_.find(op->name);
            if (renamed != variables_.end()) {
                return renamed->second;
            }
            const auto p = op->param.defined() ? batching_.parameters_.find(op->param.name())
                                               : batching_.parameters_.end();
            if (p == batching_.parameters_.end()) {
                return op;
            }
            return op->param.is_buffer() ? Variable::make(op->type, op->name, p->second)
                                         : Call::make(p->second, {batching_.example()});
        }
        Expr visit(const Call *op) override {
            const Expr e = IRGraphMutator::visit(op);
            const Call *call = e.as<Call>();
            std::vector<Expr> args = call->args;
            if (call->call_type == Call::Image && call->param.defined() &&
                batching_.parameters_.count(call->param.name())) {
                args.push_back(batching_.example());
                return Call::make(batching_.parameters_.at(call->param.name()), args);
            }
            if (call->call_type != Call::Halide) {
                return e;
            }
            const Rebuilt &callee = batching_.funcs_.at(call->name);
            if (callee.batched) {
                args.push_back(batching_.example());
            }
            return Call::make(callee.func.function(), args, call->value_index);
        }

        const Batching &batching_;
        const std::map<std::string, Expr> variables_;
    };

    Expr example() const {
        return Var(var_);
    }

    bool reads_batch(const Function &f) const {
        class Find : public IRGraphVisitor {
        public:
            explicit Find(const Batching &batching) : batching_(batching) {
            }
            bool found = false;

        private:
            using IRGraphVisitor::visit;
            void visit(const Variable *op) override {
                found = found || (op->param.defined() && !op->param.is_buffer() &&
                                  batching_.parameters_.count(op->param.name()));
            }
            void visit(const Call *op) override {
                const auto callee = batching_.funcs_.find(op->name);
                found = found || (op->call_type == Call::Halide && callee != batching_.funcs_.end() &&
                                  callee->second.batched);
                found = found || (op->call_type == Call::Image && op->param.defined() &&
                                  batching_.parameters_.count(op->param.name()));
                IRGraphVisitor::visit(op);
            }
            const Batching &batching_;
        } find(*this);
        f.accept(&find);
        return find.found;
    }

    void check_extern(const Function &f) const {
        for (const ExternFuncArgument &arg : f.extern_arguments()) {
            const bool of_func = arg.is_func() && funcs_.count(Function(arg.func).name()) &&
                                 funcs_.at(Function(arg.func).name()).batched;
            const bool of_input = arg.is_image_param() && parameters_.count(arg.image_param.name());
            if (of_func || of_input) {
                throw UserError(
                    "Func \"" + tensor_name(f) +
                    "\" has an extern definition, which is of one example and cannot be called for a "
                    "batch; write it in Halide, or name only inputs that it does not depend on.");
            }
        }
    }

    void define(const Function &f, size_t stage, Rebuilt &own) {
        std::vector<StageBody> bodies;
        for (int element = 0; element < f.outputs(); element++) {
            bodies.push_back(stage_bodies(f, element)[stage]);
        }
        const std::vector<std::string> vars =
            adjoint_vars(f);  // implicit ones cannot be named in a definition
        std::map<std::string, Expr> variables;
        for (size_t d = 0; d < vars.size(); d++) {
            variables.emplace(f.args()[d], Var(vars[d]));
        }
        add_domain(bodies.front(), variables);
        Rewrite rewrite(*this, variables);
        std::vector<Expr> args, values;
        for (const Expr &arg : bodies.front().args) {
            args.push_back(rewrite.mutate(arg));
        }
        for (const StageBody &body : bodies) {
            values.push_back(common_subexpression_elimination(rewrite.mutate(body.value)));
        }
        if (own.batched) {
            args.push_back(example());
        }
        if (values.size() == 1) {
            own.func(args) = values.front();
        } else {
            own.func(args) = Tuple(values);
        }
    }

    // The loops of an update, under the same conditions.
    void add_domain(const StageBody &body, std::map<std::string, Expr> &variables) const {
        if (body.rvars.empty()) {
            return;
        }
        Rewrite bounds(*this, variables);
        std::vector<ReductionVariable> own;
        for (const ReductionVariable &v : body.rvars) {
            own.push_back({unique_name("r"), bounds.mutate(v.min), bounds.mutate(v.extent)});
        }
        const ReductionDomain domain(own);
        for (size_t v = 0; v < own.size(); v++) {
            variables[body.rvars[v].var] = Variable::make(Int(32), own[v].var, domain);
        }
        Rewrite conditions(*this, variables);
        RDom loops(domain);
        for (const Expr &condition : body.predicate) {
            loops.where(conditions.mutate(condition));
        }
    }

    const std::string var_;
    const int size_;
    const std::string prefix_;                     // of the Funcs' names
    std::map<std::string, Parameter> parameters_;  // of the batch, by name
    std::map<std::string, Rebuilt> funcs_;         // by the name of the Func that each stands for
};

// The parameters that the outputs read, each once, in the order in which they are met.
class FindInputs : public IRGraphVisitor {
public:
    std::vector<Parameter> found;

private:
    using IRGraphVisitor::visit;
    void add(const Parameter &p) {
        if (p.defined() && std::none_of(found.begin(), found.end(),
                                        [&](const Parameter &q) { return q.name() == p.name(); })) {
            found.push_back(p);
        }
    }
    void visit(const Variable *op) override {
        add(op->param);
    }
    void visit(const Call *op) override {
        add(op->param);
        IRGraphVisitor::visit(op);
    }
};

}  // namespace

Batched batch(const std::vector<Parameter> &inputs, const std::vector<NamedOutput> &outputs,
              const std::vector<std::string> &over, int size) {
    check(inputs, over, size);
    Batching batching(inputs, over, size);
    Batched result;
    for (const Parameter &p : inputs) {
        result.inputs.push_back(batching.parameter(p));
    }
    result.outputs = batching.rebuilt(outputs);
    return result;
}

std::vector<NamedOutput> copy_funcs(const std::vector<NamedOutput> &outputs, const std::string &prefix) {
    return Batching({}, {}, 1, prefix).rebuilt(outputs);
}

Pipeline batch(const Pipeline &pipeline, const std::vector<std::string> &over, int size) {
    FindInputs find;
    std::vector<NamedOutput> outputs;
    std::vector<Function> functions;
    for (const Func &f : Pipeline(pipeline).outputs()) {
        outputs.push_back({f.name(), f});
        functions.push_back(f.function());
    }
    for (const Function &f : computing_order(functions)) {
        f.accept(&find);
    }
    std::vector<Func> funcs;
    for (const NamedOutput &output : batch(find.found, outputs, over, size).outputs) {
        funcs.push_back(output.func);
    }
    return Pipeline(funcs);
}

}  // namespace eutectic
