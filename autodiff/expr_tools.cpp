#include "autodiff/expr_tools.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <tuple>

using namespace Halide;
using namespace Halide::Internal;

namespace eutectic {

namespace {

StageBody body_of(const Definition &definition, int value_index) {
    StageBody body;
    for (const Expr &arg : definition.args()) {
        body.args.push_back(substitute_in_all_lets(arg));
    }
    body.value = substitute_in_all_lets(definition.values()[value_index]);
    body.rvars = definition.schedule().rvars();
    body.predicate = definition.split_predicate();
    return body;
}

class CollectCalls : public IRGraphVisitor {
public:
    std::vector<const Call *> calls;

private:
    using IRGraphVisitor::visit;
    void visit(const Call *op) override {
        IRGraphVisitor::visit(op);
        if (op->call_type == Call::Halide || op->call_type == Call::Image) {
            calls.push_back(op);
        }
    }
};

class MapCalls : public IRGraphMutator {
public:
    explicit MapCalls(const std::function<Expr(const Call *)> &map) : map_(map) {
    }

private:
    using IRGraphMutator::visit;
    Expr visit(const Call *op) override {
        Expr e = IRGraphMutator::visit(op);
        const Call *call = e.as<Call>();
        if (call && (call->call_type == Call::Halide || call->call_type == Call::Image)) {
            Expr mapped = map_(call);
            return mapped.defined() ? mapped : e;
        }
        return e;
    }

    const std::function<Expr(const Call *)> &map_;
};

class FindVariable : public IRGraphVisitor {
public:
    explicit FindVariable(const std::string &name) : name_(name) {
    }
    bool found = false;

private:
    using IRGraphVisitor::visit;
    void visit(const Variable *op) override {
        found = found || op->name == name_;
    }
    const std::string &name_;
};

class FreeVariables : public IRGraphVisitor {
public:
    std::vector<Expr> found;

private:
    using IRGraphVisitor::visit;
    void visit(const Variable *op) override {
        if (!op->param.defined() && !op->image.defined() && names_.insert(op->name).second) {
            found.emplace_back(op);
        }
    }
    std::set<std::string> names_;
};

class ReplaceVariables : public IRGraphMutator {
public:
    explicit ReplaceVariables(const std::map<std::string, Expr> &by_name) : by_name_(by_name) {
    }

private:
    using IRGraphMutator::visit;
    Expr visit(const Variable *op) override {
        const auto it = by_name_.find(op->name);
        return it == by_name_.end() ? Expr(op) : it->second;
    }
    const std::map<std::string, Expr> &by_name_;
};

}  // namespace

std::vector<StageBody> stage_bodies(const Function &f, int value_index) {
    std::vector<StageBody> bodies;
    if (f.has_pure_definition()) {
        bodies.push_back(body_of(f.definition(), value_index));
    }
    for (const Definition &update : f.updates()) {
        bodies.push_back(body_of(update, value_index));
    }
    return bodies;
}

bool mentions_pure_variable(const Function &f, const StageBody &update) {
    for (const Expr &condition : update.predicate) {
        for (const std::string &v : f.args()) {
            if (uses_variable(condition, v)) {
                return true;
            }
        }
    }
    return false;
}

bool is_read_at(const Call *call, const Function &f, int element, const std::vector<Expr> &args) {
    if (!call || call->name != f.name() || call->value_index != element) {
        return false;
    }
    for (size_t d = 0; d < args.size(); d++) {
        if (!graph_equal(call->args[d], args[d])) {
            return false;
        }
    }
    return true;
}

std::map<std::string, Expr> domain_variables(const std::vector<ReductionVariable> &rvars) {
    std::vector<ReductionVariable> own;
    for (const ReductionVariable &v : rvars) {
        own.push_back({unique_name("r"), v.min, v.extent});
    }
    std::map<std::string, Expr> by_name;
    const ReductionDomain domain(own);
    for (size_t v = 0; v < rvars.size(); v++) {
        by_name[rvars[v].var] = Variable::make(Int(32), own[v].var, domain);
    }
    return by_name;
}

std::vector<Var> as_vars(const std::vector<Expr> &variables) {
    std::vector<Var> vars;
    for (const Expr &v : variables) {
        vars.emplace_back(v.as<Variable>()->name);
    }
    return vars;
}

bool has_trace_tag(const Function &f, const std::string &tag) {
    const std::vector<std::string> &tags = f.get_trace_tags();
    return std::find(tags.begin(), tags.end(), tag) != tags.end();
}

StageBody without_predicate(const Function &f, int element, const StageBody &update) {
    const std::map<std::string, Expr> variables = domain_variables(update.rvars);
    StageBody result;
    for (const Expr &arg : update.args) {
        result.args.push_back(replace_variables(arg, variables));
    }
    for (const ReductionVariable &v : update.rvars) {
        result.rvars.push_back({variables.at(v.var).as<Variable>()->name, v.min, v.extent});
    }
    result.value = replace_variables(update.value, variables);
    Expr condition;
    for (const Expr &c : update.predicate) {
        const Expr own = replace_variables(c, variables);
        condition = condition.defined() ? condition && own : own;
    }
    if (!condition.defined()) {
        return result;
    }
    const Add *add = result.value.as<Add>();
    const auto is_self = [&](const Expr &e) { return is_read_at(e.as<Call>(), f, element, result.args); };
    if (add && (is_self(add->a) || is_self(add->b))) {
        const Expr self = is_self(add->a) ? add->a : add->b, rest = is_self(add->a) ? add->b : add->a;
        result.value = self + select(condition, rest, make_zero(rest.type()));
    } else {
        result.value = select(condition, result.value, Call::make(f, result.args, element));
    }
    return result;
}

std::vector<const Call *> calls_in(const Expr &e) {
    CollectCalls collect;
    if (e.defined()) {
        e.accept(&collect);
    }
    return collect.calls;
}

Expr map_calls(const Expr &e, const std::function<Expr(const Call *)> &map) {
    return e.defined() ? MapCalls(map).mutate(e) : e;
}

Function callee(const Call *call) {
    return call->func.defined() ? Function(call->func) : Function();
}

bool uses_variable(const Expr &e, const std::string &name) {
    FindVariable find(name);
    e.accept(&find);
    return find.found;
}

std::vector<Expr> free_variables(const Expr &e) {
    FreeVariables free;
    e.accept(&free);
    return free.found;
}

Expr replace_variables(const Expr &e, const std::map<std::string, Expr> &by_name) {
    return e.defined() ? ReplaceVariables(by_name).mutate(e) : e;
}

std::vector<Expr> pure_args(const Function &f) {
    std::vector<Expr> args;
    for (const std::string &name : f.args()) {
        args.push_back(Var(name));
    }
    return args;
}

Expr value_at(const Function &f, const std::vector<Expr> &args) {
    std::map<std::string, Expr> by_name;
    for (size_t d = 0; d < args.size(); d++) {
        by_name[f.args()[d]] = args[d];
    }
    return replace_variables(substitute_in_all_lets(f.values()[0]), by_name);
}

bool is_identity_call(const Expr &e, const std::vector<std::string> &vars) {
    const Call *call = e.as<Call>();
    if (!call || call->call_type != Call::Halide || call->args.size() != vars.size()) {
        return false;
    }
    for (size_t d = 0; d < vars.size(); d++) {
        const Variable *v = call->args[d].as<Variable>();
        if (!v || v->name != vars[d]) {
            return false;
        }
    }
    return true;
}

std::string given_name(const std::string &unique_name) {
    return unique_name.substr(0, unique_name.find('$'));
}

std::vector<Function> computing_order(const std::vector<Function> &outputs) {
    const auto key = [](const std::string &name) {
        const std::string given = given_name(name);
        const bool numbered = name.size() > given.size() + 1 &&
                              std::isdigit(static_cast<unsigned char>(name[given.size() + 1]));
        return std::tuple(given, numbered ? std::stol(name.substr(given.size() + 1)) : 0L, name);
    };
    std::vector<Function> order;
    std::set<std::string> seen;
    const std::function<void(const Function &)> visit = [&](const Function &f) {
        if (!seen.insert(f.name()).second) {
            return;
        }
        std::map<std::tuple<std::string, long, std::string>, Function> callees;
        for (const auto &[name, callee] : find_direct_calls(f)) {
            callees.emplace(key(name), callee);
        }
        for (const auto &[name, callee] : callees) {
            visit(callee);
        }
        order.push_back(f);
    };
    for (const Function &output : outputs) {
        visit(output);
    }
    return order;
}

std::string tensor_name(const Function &f) {
    const Parameter p = input_of(f);
    return p.defined() ? p.name() : given_name(f.name());
}

Parameter input_of(const Function &f) {
    if (!f.has_pure_definition() || f.has_update_definition() || f.outputs() != 1) {
        return Parameter();
    }
    if (const Variable *scalar = f.values()[0].as<Variable>()) {
        const bool is_scalar = f.args().empty() && scalar->param.defined() && !scalar->param.is_buffer();
        return is_scalar ? scalar->param : Parameter();
    }
    const Call *call = f.values()[0].as<Call>();
    if (!call || call->call_type != Call::Image || !call->param.defined()) {
        return Parameter();
    }
    for (size_t d = 0; d < call->args.size(); d++) {
        const Variable *v = call->args[d].as<Variable>();
        if (!v || v->name != f.args()[d]) {
            return Parameter();
        }
    }
    return call->param;
}

}  // namespace eutectic
