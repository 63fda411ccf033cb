#include "autodiff/tangents.h"

#include "autodiff/activity.h"
#include "autodiff/estimates.h"
#include "autodiff/expr_tools.h"
#include "autodiff/inputs.h"
#include "autodiff/rules/match.h"
#include "autodiff/share.h"
#include "autodiff/stable_softmax.h"
#include "autodiff/supported.h"
#include "autodiff/tangent_of.h"
#include "autodiff/updates.h"
#include "autodiff/validate.h"

#include "base/user_error.h"

#include <algorithm>
#include <map>
#include <set>

using namespace Halide;
using namespace Halide::Internal;

namespace eutectic {

namespace {

using Element = std::pair<std::string, int>;

std::vector<Var> vars_of(const Function &f) {
    return {f.args().begin(), f.args().end()};
}

/// A variable of the loop that e is in; undefined where e mentions none.
Expr loop_variable(const Expr &e) {
    for (const Expr &v : free_variables(e)) {
        if (v.as<Variable>()->reduction_domain.defined()) {
            return v;
        }
    }
    return Expr();
}

class ForwardMode {
public:
    explicit ForwardMode(const DifferentiationProblem &problem)
        : problem_(problem),
          wrt_(inputs_asked_for(problem)),
          rules_(problem.rules ? *problem.rules : default_rules()) {
    }

    Tangents run() {
        prepare();
        const Activity activity(order_, input_funcs(), output_funcs(problem_));
        is_active_ = [&](const Function &f, int element) { return activity.is_active(f, element); };
        for (Function &f : order_) {
            if (!activity.is_active(f.name())) {
                continue;
            }
            const auto input = tangent_inputs_.find(f.name());
            if (input != tangent_inputs_.end()) {
                const ImageParam t = input->second;
                tangents_.emplace(Element(f.name(), 0),
                                  [t](const std::vector<Expr> &args) { return t(args); });
                continue;
            }
            check_written_in_halide(f);
            check_supported(f, is_active_, rules_, problem_.zeros);
            if (sums_only(f)) {
                add_beside(f);
            } else {
                add_together(f);
            }
        }
        collect();
        share_functions(result_.values, result_.tangents);
        return result_;
    }

private:
    void prepare() {
        check_outputs(problem_);
        const std::vector<Function> outputs = functions_of(problem_.outputs);
        read_inputs_through_funcs(outputs, scalars_asked_for(problem_, wrt_));
        if (!problem_.as_written) {
            write_softmaxes_stably(outputs);
        }
        order_ = computing_order(outputs);
        for (const std::string &name : wrt_) {
            for (const Parameter &p : problem_.inputs) {
                if (p.name() == name) {
                    result_.inputs.emplace_back(p.type(), p.is_buffer() ? p.dimensions() : 0, "t_" + name);
                    copy_sizes(p, result_.inputs.back());
                }
            }
            for (const Function &f : order_) {
                if (input_of(f).defined() && input_of(f).name() == name) {
                    tangent_inputs_.emplace(f.name(), result_.inputs.back());
                }
            }
        }
    }

    std::set<std::string> input_funcs() const {
        std::set<std::string> names;
        for (const auto &[name, tangent] : tangent_inputs_) {
            names.insert(name);
        }
        return names;
    }

    // An output's tangent has the output's name.
    std::string tangent_name(const Function &f) const {
        for (const NamedOutput &output : problem_.outputs) {
            if (output.func.name() == f.name() && f.outputs() == 1) {
                return "t_" + output.name;
            }
        }
        return "t_" + tensor_name(f);
    }

    Expr tangent(const Expr &e) const {
        const TangentOfLoad load = [&](const Call *call) -> Expr {
            const auto found = tangents_.find({call->name, call->value_index});
            return found == tangents_.end() ? Expr() : found->second(call->args);
        };
        return tangent_of(e, load, rules_);
    }

    static bool sums_only(const Function &f) {
        const std::vector<StageBody> bodies = stage_bodies(f);
        return f.outputs() == 1 && std::all_of(bodies.begin() + 1, bodies.end(), [&](const StageBody &b) {
                   return added_by(f, 0, b.args, b.value).defined();
               });
    }

    // Of f the sums' tangents by themselves: of one update over the whole Func one Func for each term.
    void add_beside(const Function &f) {
        for (int element = 0; element < f.outputs(); element++) {
            if (f.output_types()[element].is_float() && is_active_(f, element)) {
                const Func t = f.has_update_definition() ? tangent_of_sums(f) : tangent_of_pure(f, element);
                if (t.defined()) {
                    beside_.emplace(Element(f.name(), element), t);
                    tangents_.emplace(Element(f.name(), element),
                                      [t](const std::vector<Expr> &args) -> Expr { return t(args); });
                }
            }
        }
    }

    Func tangent_of_pure(const Function &f, int element) const {
        const Expr t = tangent(stage_bodies(f, element)[0].value);
        if (!t.defined()) {
            return Func();
        }
        Func result(tangent_name(f));
        result(vars_of(f)) = common_subexpression_elimination(t);
        return result;
    }

    // Halide takes an update's loop from the variables that it mentions: a term without any is added as often
    // as the forward's.
    static Expr over_loop(const Expr &term, const StageBody &update) {
        const Expr loop = loop_variable(update.value);
        return !loop.defined() || loop_variable(term).defined() ? term : term + cast(term.type(), loop * 0);
    }

    // A product whose factors each lack some of f's dims: planned with panels and tiles, of which each is for
    // one product.
    static bool is_contraction(const Expr &term, const Function &f) {
        const std::vector<const Call *> calls = calls_in(term);
        return std::any_of(calls.begin(), calls.end(), [&](const Call *call) {
            return loop_variable(call).defined() &&
                   std::any_of(f.args().begin(), f.args().end(),
                               [&](const std::string &arg) { return !uses_variable(call, arg); });
        });
    }

    Func tangent_of_sums(const Function &f) const {
        const std::vector<StageBody> bodies = stage_bodies(f);
        const Type type = f.output_types()[0];
        const Expr start = tangent(bodies[0].value);
        std::vector<std::pair<size_t, Expr>> added;  // by update
        for (size_t u = 1; u < bodies.size(); u++) {
            const Expr t = tangent(added_by(f, 0, bodies[u].args, bodies[u].value));
            const std::vector<Term> terms = t.defined() ? terms_of(t) : std::vector<Term>();
            const bool apart = std::any_of(terms.begin(), terms.end(),
                                           [&](const Term &term) { return is_contraction(term.e, f); });
            for (const Term &term : apart ? terms : std::vector<Term>()) {
                added.emplace_back(u, over_loop(term.negative ? -term.e : term.e, bodies[u]));
            }
            if (t.defined() && !apart) {
                added.emplace_back(u, over_loop(t, bodies[u]));
            }
        }
        if (added.empty()) {
            return start.defined() ? tangent_of_pure(f, 0) : Func();
        }
        const std::string name = tangent_name(f);
        // Sums of several terms are Funcs of their own, each of which is planned as a product by itself.
        const bool apart = added.size() > 1;
        Expr total = start;
        Func sum;
        for (const auto &[u, term] : added) {
            Func part(apart ? name + "_term" : name);
            part(vars_of(f)) = apart || !start.defined() ? make_zero(type) : start;
            part(bodies[u].args) += common_subexpression_elimination(term);
            sum = part;
            const Expr value = part(pure_args(f));
            total = total.defined() ? total + value : value;
        }
        if (apart) {
            sum = Func(name);
            sum(vars_of(f)) = total;
        }
        return sum;
    }

    // Values and tangents in one Tuple: first the values, in their order, then the tangents.
    void add_together(Function &f) {
        std::vector<int> with_tangent;
        for (int element = 0; element < f.outputs(); element++) {
            if (f.output_types()[element].is_float() && is_active_(f, element)) {
                with_tangent.push_back(element);
            }
        }
        if (!f.has_update_definition() || with_tangent.empty()) {
            add_beside(f);
            return;
        }
        Func both(given_name(f.name()));
        const auto own = [&](const Expr &e) {
            return map_calls(e, [&](const Call *call) {
                return call->name == f.name() ? Expr(both(call->args)[call->value_index]) : Expr();
            });
        };
        for (size_t i = 0; i < with_tangent.size(); i++) {
            const int index = f.outputs() + static_cast<int>(i);
            tangents_.emplace(Element(f.name(), with_tangent[i]),
                              [=](const std::vector<Expr> &args) -> Expr { return Expr(both(args)[index]); });
        }
        const size_t stages = f.updates().size() + 1;
        for (size_t stage = 0; stage < stages; stage++) {
            std::vector<StageBody> bodies;
            for (int element = 0; element < f.outputs(); element++) {
                bodies.push_back(stage_bodies(f, element)[stage]);
            }
            std::vector<Expr> values, args = bodies.front().args;
            for (const StageBody &body : bodies) {
                values.push_back(own(body.value));
            }
            for (const int element : with_tangent) {
                const Expr t = tangent(bodies[static_cast<size_t>(element)].value);
                values.push_back(t.defined() ? own(t) : make_zero(f.output_types()[element]));
            }
            for (Expr &arg : args) {
                arg = own(arg);
            }
            if (stage == 0) {
                both(vars_of(f)) = Tuple(values);
            } else {
                both(args) = Tuple(values);
            }
        }
        for (const int element : with_tangent) {
            const auto found = tangents_.find({f.name(), element});
            tangents_.emplace(Element(both.name(), element), found->second);
        }
        for (Function &g : order_) {
            if (g.name() != f.name()) {
                g.substitute_calls(f, both.function());
            }
        }
        together_.emplace(f.name(), both);
    }

    void collect() {
        for (const NamedOutput &output : problem_.outputs) {
            const Function f = output.func.function();
            const auto both = together_.find(f.name());
            result_.values.push_back(
                {output.name, both == together_.end() ? output.func : values_of(f, both->second)});
            const bool is_asked_for =
                problem_.of.empty() || std::count(problem_.of.begin(), problem_.of.end(), output.name) != 0;
            for (int element = 0; is_asked_for && element < f.outputs(); element++) {
                if (f.output_types()[element].is_float()) {
                    add_output(output, element);
                }
            }
        }
    }

    static Func values_of(const Function &f, const Func &both) {
        Func values(given_name(f.name()) + "_value");
        std::vector<Expr> elements;
        for (int element = 0; element < f.outputs(); element++) {
            elements.push_back(both(pure_args(f))[element]);
        }
        values(vars_of(f)) = Tuple(elements);
        copy_sizes(Func(f).output_buffers()[0].parameter(), values);
        return values;
    }

    void add_output(const NamedOutput &output, int element) {
        const Function f = output.func.function();
        const auto found = tangents_.find({f.name(), element});
        if (found == tangents_.end() && !problem_.zeros) {
            throw UserError("Output \"" + output_name(output, element) +
                            "\" has no tangent: it depends on none of the inputs in a differentiable way; "
                            "leave it out of gradient_of.");
        }
        const auto beside = beside_.find({f.name(), element});
        Func t = beside != beside_.end() ? beside->second : Func("t_" + output_name(output, element));
        if (!t.defined()) {
            t(vars_of(f)) =
                found == tangents_.end() ? make_zero(f.output_types()[element]) : found->second(pure_args(f));
        }
        copy_sizes(Func(output.func).output_buffers()[element].parameter(), t);
        result_.tangents.push_back({"t_" + output_name(output, element), t});
    }

    const DifferentiationProblem &problem_;
    const std::vector<std::string> wrt_;
    const RuleList rules_;
    std::vector<Function> order_;
    std::map<std::string, ImageParam> tangent_inputs_;  // by the Func of the input
    IsActive is_active_;
    std::map<Element, std::function<Expr(const std::vector<Expr> &)>> tangents_;
    std::map<Element, Func> beside_;        // Funcs of tangents alone
    std::map<std::string, Func> together_;  // by the Func that it stands for
    Tangents result_;
};

}  // namespace

DifferentiationProblem tangents_of_gradients(const DifferentiationProblem &problem,
                                             const Differentiated &gradients) {
    DifferentiationProblem result = problem;
    result.joint = false;
    result.zeros = true;
    result.wrt = inputs_asked_for(problem);
    result.of.clear();
    for (const ImageParam &upstream : gradients.upstream) {
        result.inputs.push_back(upstream.parameter());
    }
    for (const NamedOutput &gradient : gradients.gradients) {
        result.outputs.push_back(gradient);
        result.of.push_back(gradient.name);
    }
    return result;
}

Tangents tangents_of(const DifferentiationProblem &problem) {
    if (problem.outputs.empty()) {
        throw UserError("A pipeline without outputs was to be differentiated; give it at least one.");
    }
    return ForwardMode(problem).run();
}

}  // namespace eutectic
