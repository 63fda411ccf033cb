#include "autodiff/inputs.h"

#include "autodiff/expr_tools.h"

#include <map>

using namespace Halide;
using namespace Halide::Internal;

namespace eutectic {

namespace {

class ReadThroughFuncs : public IRGraphMutator {
public:
    ReadThroughFuncs(const std::map<std::string, Function> &env, const std::set<std::string> &scalars)
        : scalars_(scalars) {
        for (const auto &[name, f] : env) {
            const Parameter p = input_of(f);
            if (p.defined()) {
                funcs_.emplace(p.name(), f);
            }
        }
    }

    bool is_input_func(const Function &f) const {
        const Parameter p = input_of(f);
        return p.defined() && funcs_.count(p.name()) && funcs_.at(p.name()).name() == f.name();
    }

private:
    using IRGraphMutator::visit;

    Expr visit(const Variable *op) override {
        if (!op->param.defined() || op->param.is_buffer() || !scalars_.count(op->param.name())) {
            return op;
        }
        if (!funcs_.count(op->param.name())) {
            Func f(op->param.name() + "_scalar");
            f() = op;
            funcs_.emplace(op->param.name(), f.function());
        }
        return Call::make(funcs_.at(op->param.name()), {}, 0);
    }

    Expr visit(const Call *op) override {
        const Expr e = IRGraphMutator::visit(op);
        const Call *call = e.as<Call>();
        if (call->call_type == Call::Image && call->param.defined()) {
            if (!funcs_.count(call->param.name())) {
                Func f(call->param.name() + "_im");
                std::vector<Var> at;
                for (size_t d = 0; d < call->args.size(); d++) {
                    at.emplace_back("d" + std::to_string(d));
                }
                f(at) = Call::make(call->param, std::vector<Expr>(at.begin(), at.end()));
                funcs_.emplace(call->param.name(), f.function());
            }
            return Call::make(funcs_.at(call->param.name()), call->args, 0);
        }
        const Parameter p = call->call_type == Call::Halide ? input_of(callee(call)) : Parameter();
        return p.defined() && funcs_.count(p.name()) && funcs_.at(p.name()).name() != call->name
                   ? Call::make(funcs_.at(p.name()), call->args, 0)
                   : e;
    }

    const std::set<std::string> &scalars_;
    std::map<std::string, Function> funcs_;  // by the input's name
};

class FindParameters : public IRGraphVisitor {
public:
    std::set<std::string> names;

private:
    using IRGraphVisitor::visit;
    void visit(const Variable *op) override {
        if (op->param.defined()) {
            names.insert(op->param.name());
        }
    }
    void visit(const Call *op) override {
        IRGraphVisitor::visit(op);
        if (op->param.defined()) {
            names.insert(op->param.name());
        }
    }
};

}  // namespace

void read_inputs_through_funcs(const std::vector<Function> &outputs, const std::set<std::string> &scalars) {
    const std::map<std::string, Function> env = build_environment(outputs);
    ReadThroughFuncs mutator(env, scalars);
    for (auto [name, f] : env) {
        if (!mutator.is_input_func(f)) {
            f.mutate(&mutator);
        }
    }
}

std::set<std::string> parameters_of(const std::vector<Func> &outputs) {
    std::vector<Function> functions;
    for (const Func &f : outputs) {
        functions.push_back(f.function());
    }
    FindParameters find;
    for (const auto &[name, f] : build_environment(functions)) {
        f.accept(&find);
        for (const Definition &update : f.updates()) {
            for (const ReductionVariable &v : update.schedule().rvars()) {
                v.min.accept(&find);
                v.extent.accept(&find);
            }
        }
    }
    return find.names;
}

}  // namespace eutectic
