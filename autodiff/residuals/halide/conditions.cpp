#include "autodiff/residuals/halide/conditions.h"

#include "autodiff/expr_tools.h"
#include "autodiff/residuals/halide/mask.h"

#include <algorithm>
#include <optional>
#include <set>

using namespace Halide;
using namespace Halide::Internal;

namespace eutectic {

namespace {

class FindVariables : public IRGraphVisitor {
public:
    explicit FindVariables(const Expr &e) {
        e.accept(this);
    }
    std::set<std::string> names;

private:
    using IRGraphVisitor::visit;
    void visit(const Variable *op) override {
        if (!op->param.defined()) {
            names.insert(op->name);
        }
    }
};

// What a call stands for in the forward: a plain value or an input.
std::optional<Function> forward_func(const Tape &tape, const Call *call) {
    const auto p = tape.placeholders().find(call->name);
    if (p != tape.placeholders().end()) {
        return p->second.is_made ? std::nullopt : std::optional(p->second.of);
    }
    if (call->call_type != Call::Halide || !input_of(callee(call)).defined()) {
        return std::nullopt;
    }
    return callee(call);
}

class ReplaceConditions : public IRGraphMutator {
public:
    ReplaceConditions(Tape &tape, std::map<std::string, ForwardCondition> &conditions)
        : tape_(tape), conditions_(conditions) {
    }
    using IRGraphMutator::mutate;
    Expr mutate(const Expr &e) override {
        if (!e.defined() || !e.type().is_bool() || !e.type().is_scalar() || e.as<Call>() ||
            e.as<Variable>()) {
            return IRGraphMutator::mutate(e);
        }
        const Expr read = as_condition(e);
        return read.defined() ? read : IRGraphMutator::mutate(e);
    }

private:
    // The placeholder's read that e is, or nothing.
    Expr as_condition(const Expr &e) {
        const Call *main = nullptr;
        for (const Call *call : calls_in(e)) {
            if (!forward_func(tape_, call)) {
                return Expr();
            }
            const bool is_value = tape_.placeholders().count(call->name) != 0;
            main = is_value && !call->args.empty() && (!main || call->args.size() > main->args.size()) ? call
                                                                                                       : main;
        }
        if (!main) {
            return Expr();
        }
        ForwardCondition found;
        found.value = e;
        for (size_t d = 0; d < main->args.size(); d++) {
            if (is_const(main->args[d])) {
                return Expr();
            }
            found.vars.push_back("point_" + std::to_string(d));
            found.value = graph_substitute(main->args[d], Var(found.vars.back()), found.value);
        }
        found.region = tape_.region(*forward_func(tape_, main));
        if (!is_at_one_point(found)) {
            return Expr();
        }
        return condition_like(found).func(main->args);
    }

    // Every load is at the point or at some of its coordinates, where the region is as large; nothing else
    // depends on where.
    bool is_at_one_point(const ForwardCondition &c) const {
        const std::set<std::string> vars(c.vars.begin(), c.vars.end());
        for (const std::string &name : FindVariables(c.value).names) {
            if (!vars.count(name)) {
                return false;
            }
        }
        for (const Call *call : calls_in(c.value)) {
            const SymbolicRegion &region = tape_.region(*forward_func(tape_, call));
            std::set<size_t> seen;
            for (size_t a = 0; a < call->args.size(); a++) {
                const Variable *v = call->args[a].as<Variable>();
                const auto at = v ? std::find(c.vars.begin(), c.vars.end(), v->name) : c.vars.end();
                const auto d = static_cast<size_t>(at - c.vars.begin());
                if (at == c.vars.end() || !seen.insert(d).second || !same_interval(region[a], c.region[d])) {
                    return false;
                }
            }
        }
        return is_bounded(c.region);
    }

    const ForwardCondition &condition_like(ForwardCondition &found) {
        for (const auto &[name, c] : conditions_) {
            if (c.vars.size() == found.vars.size() && graph_equal(c.value, found.value)) {
                return c;
            }
        }
        found.func = make_leaf("condition", found.vars, Bool());
        const ForwardCondition c = found;
        found.mask = packed_mask(
            c.vars, c.region, [c, placeholders = tape_.placeholders()](const std::vector<Expr> &args) {
                std::map<std::string, Expr> at;
                for (size_t d = 0; d < args.size(); d++) {
                    at[c.vars[d]] = args[d];
                }
                return map_calls(replace_variables(c.value, at), [&](const Call *call) -> Expr {
                    const auto p = placeholders.find(call->name);
                    return p == placeholders.end()
                               ? Expr()
                               : Call::make(p->second.of, call->args, p->second.value_index);
                });
            });
        return conditions_[found.func.name()] = found;
    }

    Tape &tape_;
    std::map<std::string, ForwardCondition> &conditions_;
};

// A pure Func that calls one math function, and the load in it at its own point that tells where a call of it
// is.
struct Result {
    Function y;
    const Call *call = nullptr, *own = nullptr;
};

class ReplaceResults : public IRGraphMutator {
public:
    ReplaceResults(Tape &tape, const std::vector<Result> &results) : tape_(tape), results_(results) {
    }

private:
    using IRGraphMutator::visit;
    Expr visit(const Call *op) override {
        if (op->call_type == Call::PureExtern) {
            for (const Result &result : results_) {
                const Expr read = result.call->name == op->name ? read_of(result, op) : Expr();
                if (read.defined()) {
                    return read;
                }
            }
        }
        return IRGraphMutator::visit(op);
    }

    Expr read_of(const Result &result, const Call *op) {
        for (const Call *load : calls_in(Expr(op))) {
            const auto of = forward_func(tape_, load);
            if (!of || of->name() != result.own->name) {
                continue;
            }
            const Expr expected = map_calls(value_at(result.y, load->args), [&](const Call *call) {
                return tape_.value(callee(call), call->value_index, call->args);
            });
            if (graph_equal(expected, Expr(op))) {
                return tape_.value(result.y, 0, load->args);
            }
        }
        return Expr();
    }

    Tape &tape_;
    const std::vector<Result> &results_;
};

std::optional<Result> as_result(const Tape &tape, const Function &f) {
    if (!f.has_pure_definition() || f.has_update_definition() || f.outputs() != 1 || input_of(f).defined()) {
        return std::nullopt;
    }
    static const std::set<std::string> functions{"exp", "log", "sqrt", "tanh", "sin", "cos", "pow"};
    Result result;
    result.y = f;
    const Expr body = f.values()[0];
    result.call = body.as<Call>();
    if (!result.call || result.call->call_type != Call::PureExtern ||
        !functions.count(result.call->name.substr(0, result.call->name.rfind('_')))) {
        return std::nullopt;
    }
    for (const Call *load : calls_in(body)) {
        if (load->call_type != Call::Halide) {
            return std::nullopt;
        }
        const SymbolicRegion &own = tape.region(f), &read = tape.region(callee(load));
        bool same = is_identity_call(Expr(load), f.args());
        for (size_t d = 0; same && d < own.size(); d++) {
            same = same_interval(own[d], read[d]);
        }
        result.own = same && !result.own ? load : result.own;
    }
    return result.own ? std::optional(result) : std::nullopt;
}

}  // namespace

void map_definitions(Function f, const std::function<Expr(const Expr &)> &map) {
    const auto mapped = [&](const Expr &e) {
        const Expr open = substitute_in_all_lets(e), result = map(open);
        return result.same_as(open) ? e : result;
    };
    const auto each = [&](Definition &definition) {
        for (Expr &value : definition.values()) {
            const Expr result = mapped(value);
            value = result.same_as(value) ? value : common_subexpression_elimination(result);
        }
        for (Expr &arg : definition.args()) {
            arg = mapped(arg);
        }
        definition.predicate() = mapped(definition.predicate());
    };
    each(f.definition());
    for (size_t u = 0; u < f.updates().size(); u++) {
        each(f.update(static_cast<int>(u)));
    }
}

std::vector<Function> backward_funcs(const Tape &tape, const std::vector<Func> &gradients) {
    std::vector<Function> outputs, result;
    for (const Func &g : gradients) {
        outputs.push_back(g.function());
    }
    for (const Function &f : computing_order(outputs)) {
        if (!tape.placeholders().count(f.name()) && !input_of(f).defined() && f.has_pure_definition()) {
            result.push_back(f);
        }
    }
    return result;
}

std::map<std::string, ForwardCondition> find_conditions(Tape &tape, const std::vector<Func> &gradients) {
    std::map<std::string, ForwardCondition> conditions;
    for (const Function &f : backward_funcs(tape, gradients)) {
        map_definitions(f, [&](const Expr &e) { return ReplaceConditions(tape, conditions).mutate(e); });
    }
    return conditions;
}

void find_results(Tape &tape, const std::vector<Func> &gradients, const std::vector<Function> &order) {
    std::vector<Result> results;
    for (const Function &f : order) {
        const auto result = tape.has_region(f) ? as_result(tape, f) : std::nullopt;
        if (result) {
            results.push_back(*result);
        }
    }
    for (const Function &f : results.empty() ? std::vector<Function>() : backward_funcs(tape, gradients)) {
        map_definitions(f, [&](const Expr &e) { return ReplaceResults(tape, results).mutate(e); });
    }
}

}  // namespace eutectic
