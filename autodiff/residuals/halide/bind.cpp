#include "autodiff/residuals/halide/bind.h"

#include "autodiff/expr_tools.h"
#include "autodiff/guards.h"
#include "autodiff/residuals/halide/value_ranges.h"

using namespace Halide;
using namespace Halide::Internal;

namespace eutectic {

namespace {

using Variables = std::map<std::string, Expr>;

class Binder {
public:
    Binder(const ResidualProblem &problem, const BuiltGraph &built, const ResidualChoice &choice,
           const std::map<int, ImageParam> &kept)
        : p_(problem), built_(built), choice_(choice), kept_(kept) {
        for (const Function &f : problem.order) {
            forward_.insert(f.name());
        }
    }

    void run() {
        for (const Function &f : backward_funcs(p_.tape, p_.gradients)) {
            map_definitions(f, [&](const Expr &e) {
                return map_calls(e, [&](const Call *call) { return bound(call); });
            });
            pad_loads(f);
        }
    }

private:
    // Sums read beyond the edges of what they read as zeros, where that is what their guards say.
    static void pad_loads(Function f) {
        for (size_t u = 0; u < f.updates().size() && f.outputs() == 1; u++) {
            for (Expr &value : f.update(static_cast<int>(u)).values()) {
                value = common_subexpression_elimination(with_padded_loads(substitute_in_all_lets(value)));
            }
        }
    }

    const Recipe *recipe_of(int v) const {
        const int way = choice_.way[v];
        return way > ResidualChoice::kept ? &built_.graph.values[v].recipes[way - 1] : nullptr;
    }

    // A call of a forward Func, as the backward has it.
    Expr in_backward(const Call *call) {
        return call->call_type == Call::Halide && forward_.count(call->name)
                   ? read(callee(call), call->value_index, call->args)
                   : Expr();
    }

    // The value of f at args in the backward.
    Expr read(const Function &f, int element, const std::vector<Expr> &args) {
        if (input_of(f).defined()) {
            return Func(f)(args);
        }
        const int v = built_.of_element.at({f.name(), element});
        const Recipe *recipe = recipe_of(v);
        if (!recipe) {
            return kept_.at(v)(args);
        }
        if (recipe->rewritten) {
            const ValueOrigin &y = built_.sources[recipe->from[0]];
            return inverse(*built_.sources[v].inverse, read(y.of, y.element, args));
        }
        if (recipe->scratch == 0) {
            return map_calls(value_at(f, args), [&](const Call *call) { return in_backward(call); });
        }
        return Call::make(recomputed(f), args, element);
    }

    Expr bound(const Call *call) {
        const auto condition = p_.conditions.find(call->name);
        if (condition != p_.conditions.end()) {
            const int v = built_.of_placeholder.at(call->name);
            return recipe_of(v) ? written_out(condition->second, call->args)
                                : read_made(condition->second.mask, v, call->args);
        }
        const auto it = p_.tape.placeholders().find(call->name);
        if (it == p_.tape.placeholders().end()) {
            return Expr();
        }
        const Placeholder &p = it->second;
        if (!p.is_made) {
            return read(p.of, p.value_index, call->args);
        }
        const int v = built_.of_placeholder.at(call->name);
        if (!recipe_of(v)) {
            return read_made(p.made, v, call->args);
        }
        if (p.made.instead_of.get_contents().defined()) {
            return p.made.read_value(read(p.made.instead_of, 0, call->args));
        }
        return p.made.read(
            [&](const std::vector<Expr> &args) { return recomputed_residual(call->name, p.made)(args); },
            call->args);
    }

    Expr read_made(const MadeResidual &made, int v, const std::vector<Expr> &args) const {
        const ImageParam &param = kept_.at(v);
        return made.read([&](const std::vector<Expr> &at) { return param(at); }, args);
    }

    Expr written_out(const ForwardCondition &condition, const std::vector<Expr> &args) {
        Variables at;
        for (size_t d = 0; d < args.size(); d++) {
            at[condition.vars[d]] = args[d];
        }
        return map_calls(replace_variables(condition.value, at),
                         [&](const Call *call) { return bound(call); });
    }

    // A copy of f that reads what the backward has.
    Function recomputed(const Function &f) {
        const auto known = again_.find(f.name());
        if (known != again_.end()) {
            return known->second.function();
        }
        Func copy("recomputed_" + tensor_name(f));
        std::vector<std::vector<StageBody>> elements;
        for (int element = 0; element < f.outputs(); element++) {
            elements.push_back(stage_bodies(f, element));
        }
        for (size_t stage = 0; stage < elements[0].size(); stage++) {
            define_stage(copy, f, elements, stage);
        }
        again_[f.name()] = copy;
        return copy.function();
    }

    void define_stage(Func copy, const Function &f, const std::vector<std::vector<StageBody>> &elements,
                      size_t stage) {
        const StageBody &first = elements[0][stage];
        Variables rename;
        const auto own = [&](const Expr &e) {
            return map_calls(replace_variables(e, rename), [&](const Call *call) -> Expr {
                return call->name == f.name() ? Call::make(copy.function(), call->args, call->value_index)
                                              : in_backward(call);
            });
        };
        if (!first.rvars.empty()) {
            std::vector<ReductionVariable> rvars;
            for (const ReductionVariable &r : first.rvars) {
                rvars.push_back({unique_name("r"), r.min, r.extent});
            }
            ReductionDomain domain(rvars);
            for (size_t r = 0; r < rvars.size(); r++) {
                rename[first.rvars[r].var] = Variable::make(Int(32), rvars[r].var, domain);
            }
            for (const Expr &condition : first.predicate) {
                domain.where(own(condition));
            }
        }
        std::vector<Expr> values, args;
        for (const std::vector<StageBody> &element : elements) {
            values.push_back(common_subexpression_elimination(own(element[stage].value)));
        }
        if (stage == 0) {
            const std::vector<Var> vars(f.args().begin(), f.args().end());
            copy(vars) = Tuple(values);
            return;
        }
        for (const Expr &arg : first.args) {
            args.push_back(own(arg));
        }
        copy(args) = Tuple(values);
    }

    // The Func that computes a made residual, in the backward.
    Func recomputed_residual(const std::string &placeholder, const MadeResidual &made) {
        const auto known = again_.find(placeholder);
        if (known != again_.end()) {
            return known->second;
        }
        const Func copy("recomputed_" + made.kind);
        made.define(copy);
        for (const auto &[name, f] : build_environment({copy.function()})) {
            if (!forward_.count(name)) {
                map_definitions(f, [&](const Expr &e) {
                    return map_calls(e, [&](const Call *call) { return in_backward(call); });
                });
            }
        }
        return again_[placeholder] = copy;
    }

    const ResidualProblem &p_;
    const BuiltGraph &built_;
    const ResidualChoice &choice_;
    const std::map<int, ImageParam> &kept_;
    std::set<std::string> forward_;
    std::map<std::string, Func> again_;  // by the forward Func's name, or the placeholder's
};

}  // namespace

void bind_backward(const ResidualProblem &problem, const BuiltGraph &built, const ResidualChoice &choice,
                   const std::map<int, ImageParam> &kept) {
    Binder(problem, built, choice, kept).run();
}

}  // namespace eutectic
