#include "autodiff/share.h"

#include "autodiff/expr_tools.h"
#include "autodiff/residuals/halide/conditions.h"
#include "autodiff/rules/match.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>

using namespace Halide;
using namespace Halide::Internal;

namespace eutectic {

namespace {

constexpr int most_nodes = 200;  // of an expression that is looked at: in longer ones, only parts are

/// The function's name without the type that ends it, if it takes many instructions: exp for exp_f32.
std::string math_function(const Call *call) {
    static const std::set<std::string> names{"exp",  "log",   "pow",   "sin",   "cos",  "tan",
                                             "asin", "acos",  "atan",  "atan2", "sinh", "cosh",
                                             "tanh", "asinh", "acosh", "atanh", "erf"};
    const std::string name = call->name.substr(0, call->name.rfind('_'));
    return call->call_type == Call::PureExtern && names.count(name) ? name : "";
}

/// Sees each node of an expression once.
class Facts final : public IRGraphVisitor {
public:
    using IRGraphVisitor::visit;

    explicit Facts(const Expr &e) {
        include(e);
    }

    int nodes = 0;
    std::string function;  // one that is called
    std::vector<std::string> reads;

private:
    void include(const Expr &e) override {
        nodes++;
        IRGraphVisitor::include(e);
    }
    void visit(const Call *call) override {
        const std::string math = math_function(call);
        function = math.empty() ? function : math;
        if (call->call_type == Call::Halide) {
            reads.push_back(call->name);
        }
        IRGraphVisitor::visit(call);
    }
};

/// The variables of loops in e, those of its largest read first, in the order of that.
class LoopVariables : public IRGraphVisitor {
public:
    using IRGraphVisitor::visit;

    explicit LoopVariables(const Expr &e) {
        e.accept(this);
        std::vector<Expr> all = of_read_;
        all.insert(all.end(), others_.begin(), others_.end());
        for (const Expr &v : all) {
            const auto same = [&](const Expr &o) { return o.as<Variable>()->name == v.as<Variable>()->name; };
            if (std::none_of(found.begin(), found.end(), same)) {
                found.push_back(v);
            }
        }
    }

    std::vector<Expr> found;

private:
    static bool is_loop(const Expr &e) {
        const Variable *v = e.as<Variable>();
        return v && !v->param.defined() && !v->image.defined();
    }
    void visit(const Call *call) override {
        std::vector<Expr> loops;
        std::copy_if(call->args.begin(), call->args.end(), std::back_inserter(loops), is_loop);
        if (call->call_type == Call::Halide && loops.size() > of_read_.size()) {
            of_read_ = std::move(loops);
        }
        IRGraphVisitor::visit(call);
    }
    void visit(const Variable *v) override {
        if (is_loop(Expr(v))) {
            others_.push_back(v);
        }
    }

    std::vector<Expr> of_read_, others_;
};

/// An expression that may be shared: what it is up to the names of its variables.
struct Candidate {
    std::string key, function;
    std::vector<Expr> variables;  // in the order of the shared Func's dimensions
    int nodes;
};

/// As text, Halide (21) does not tell the elements of a Tuple from each other.
Expr with_elements_named(const Expr &e) {
    return map_calls(e, [](const Call *call) -> Expr {
        const bool is_element = call->call_type == Call::Halide && callee(call).outputs() > 1;
        return is_element ? Call::make(call->type, call->name + "." + std::to_string(call->value_index),
                                       call->args, Call::PureExtern)
                          : Expr();
    });
}

std::optional<Candidate> candidate(const Expr &e, const std::string &self) {
    if (!e.type().is_float() || e.type().is_vector()) {
        return std::nullopt;
    }
    const Facts facts(e);
    if (facts.function.empty() || facts.nodes > most_nodes ||
        std::count(facts.reads.begin(), facts.reads.end(), self)) {
        return std::nullopt;
    }
    const LoopVariables loops(e);
    if (loops.found.empty()) {
        return std::nullopt;
    }
    std::map<std::string, Expr> by_place;
    for (size_t i = 0; i < loops.found.size(); i++) {
        by_place[loops.found[i].as<Variable>()->name] = Variable::make(Int(32), "place_" + std::to_string(i));
    }
    std::ostringstream key;
    key << e.type() << " " << simplify(replace_variables(with_elements_named(e), by_place));
    return Candidate{key.str(), facts.function, loops.found, facts.nodes};
}

/// Calls `visit` with every distinct part of an expression, whole before parts; where it returns something,
/// that takes the part's place.
class EachPart : public IRGraphMutator {
public:
    explicit EachPart(std::function<Expr(const Expr &)> visit) : visit_(std::move(visit)) {
    }
    using IRGraphMutator::mutate;
    Expr mutate(const Expr &e) override {
        const Expr other = e.defined() ? visit_(e) : Expr();
        return other.defined() ? other : IRGraphMutator::mutate(e);
    }

private:
    std::function<Expr(const Expr &)> visit_;
};

class Sharing {
public:
    Sharing(const std::vector<NamedOutput> &outputs, const std::vector<NamedOutput> &gradients) {
        std::vector<Function> of_forward, all;
        for (const NamedOutput &f : outputs) {
            of_forward.push_back(f.func.function());
            outputs_.insert(f.func.name());
        }
        all = of_forward;
        for (const NamedOutput &f : gradients) {
            all.push_back(f.func.function());
            outputs_.insert(f.func.name());
        }
        for (const Function &f : computing_order(of_forward)) {
            forward_.insert(f.name());
        }
        for (const Function &f : computing_order(all)) {
            if (f.has_pure_definition() && !input_of(f).defined() && f.outputs() == 1) {
                funcs_.push_back(f);
            }
        }
    }

    void run() {
        write_quotients();
        while (const auto common = largest_common()) {
            share(*common);
        }
    }

private:
    struct Common {
        Candidate what;
        Expr value;
        std::set<std::string> in;    // names of Funcs
        std::optional<Function> is;  // the Func that is just this
    };

    static bool in_backward(const std::set<std::string> &forward, const std::set<std::string> &names) {
        return std::any_of(names.begin(), names.end(),
                           [&](const std::string &f) { return forward.count(f) == 0; });
    }

    /// By key.
    std::map<std::string, Common> find(const std::vector<Function> &funcs) const {
        std::map<std::string, Common> found;
        for (const Function &f : funcs) {
            for (const StageBody &stage : stage_bodies(f)) {
                EachPart parts([&](const Expr &e) -> Expr {
                    if (const auto c = candidate(e, f.name())) {
                        Common &common =
                            found.try_emplace(c->key, Common{*c, e, {}, std::nullopt}).first->second;
                        common.in.insert(f.name());
                        if (e.same_as(stage.value) && is_pure(f) && !outputs_.count(f.name()) &&
                            c->variables.size() == f.args().size()) {
                            common.is = f;
                        }
                    }
                    return Expr();
                });
                parts.mutate(stage.value);
            }
        }
        return found;
    }

    std::optional<Common> largest_common() const {
        std::optional<Common> best;
        for (const auto &[key, common] : find(funcs_)) {
            const bool shared = common.in.size() > 1 && in_backward(forward_, common.in);
            if (shared && (!best || common.what.nodes > best->what.nodes)) {
                best = common;
            }
        }
        return best;
    }

    /// Is it 1 + exp(a), and a divisor wherever it is? Its reciprocal, which is between 0 and 1, can then be
    /// shared instead.
    bool only_divides(const Common &common) const {
        const Expr exponential = without_constant_term(common.value, 1);
        bool otherwise = common.is || !exponential.defined() || !argument_of(exponential, "exp").defined();
        for (const Function &f : funcs_) {
            for (const StageBody &stage :
                 common.in.count(f.name()) && !otherwise ? stage_bodies(f) : std::vector<StageBody>()) {
                std::function<Expr(const Expr &)> visit = [&](const Expr &e) -> Expr {
                    const Div *div = e.as<Div>();
                    if (div && is_it(div->b, f.name(), common)) {
                        EachPart(visit).mutate(div->a);
                        return e;
                    }
                    otherwise = otherwise || is_it(e, f.name(), common);
                    return Expr();
                };
                EachPart(visit).mutate(stage.value);
            }
        }
        return !otherwise;
    }

    static bool is_it(const Expr &e, const std::string &self, const Common &common) {
        const auto c = candidate(e, self);
        return c && c->key == common.what.key;
    }

    void share(const Common &common) {
        const bool reciprocal = only_divides(common);
        Func shared("shared_" + common.what.function);
        std::vector<size_t> dims;  // of the shared Func, as places of variables
        if (common.is) {
            shared = Func(*common.is);
            for (const std::string &arg : common.is->args()) {
                const auto at = std::find_if(common.what.variables.begin(), common.what.variables.end(),
                                             [&](const Expr &v) { return v.as<Variable>()->name == arg; });
                dims.push_back(static_cast<size_t>(at - common.what.variables.begin()));
            }
        } else {
            std::vector<Var> vars;
            std::map<std::string, Expr> by_var;
            for (size_t i = 0; i < common.what.variables.size(); i++) {
                vars.emplace_back("d" + std::to_string(i));
                by_var[common.what.variables[i].as<Variable>()->name] = vars.back();
                dims.push_back(i);
            }
            const Expr value = replace_variables(common.value, by_var);
            shared(vars) = reciprocal ? make_one(value.type()) / value : value;
        }
        for (const Function &f : funcs_) {
            if (common.in.count(f.name()) && f.name() != shared.name()) {
                const std::function<Expr(const Expr &)> read = [&](const Expr &e) -> Expr {
                    const Div *div = reciprocal ? e.as<Div>() : nullptr;
                    const auto c = candidate(div ? div->b : e, f.name());
                    if (!c || c->key != common.what.key) {
                        return Expr();
                    }
                    std::vector<Expr> args;
                    for (const size_t d : dims) {
                        args.push_back(c->variables[d]);
                    }
                    return !div || is_const_one(div->a) ? Expr(shared(args))
                                                        : EachPart(read).mutate(div->a) * shared(args);
                };
                map_definitions(f, [&](const Expr &e) { return EachPart(read).mutate(e); });
            }
        }
        if (!common.is) {
            funcs_.push_back(shared.function());
        }
    }

    /// exp(a - log(s)) as exp(a) (1 / s) in the backward, where the forward has exp(a): a row shares the
    /// reciprocal.
    void write_quotients() {
        std::vector<Function> of_forward;
        std::copy_if(funcs_.begin(), funcs_.end(), std::back_inserter(of_forward),
                     [&](const Function &f) { return forward_.count(f.name()) != 0; });
        const std::map<std::string, Common> there = find(of_forward);
        for (const Function &f : funcs_) {
            if (forward_.count(f.name()) == 0) {
                EachPart quotients([&](const Expr &e) { return as_quotient(e, f.name(), there); });
                map_definitions(f, [&](const Expr &e) { return quotients.mutate(e); });
            }
        }
    }

    static Expr as_quotient(const Expr &e, const std::string &self,
                            const std::map<std::string, Common> &there) {
        const Expr exponent = argument_of(e, "exp");
        Expr rest, divisor;
        for (const Term &term : exponent.defined() ? terms_of(exponent) : std::vector<Term>()) {
            const Expr inside = argument_of(term.e, "log");
            if (inside.defined() && term.negative && !divisor.defined()) {
                divisor = inside;
            } else if (!rest.defined()) {
                rest = term.negative ? -term.e : term.e;
            } else {
                rest = term.negative ? rest - term.e : rest + term.e;
            }
        }
        if (!rest.defined() || !divisor.defined()) {
            return Expr();
        }
        const auto c = candidate(exp(rest), self);
        return c && there.count(c->key) ? exp(rest) * (make_one(divisor.type()) / divisor) : Expr();
    }

    std::set<std::string> outputs_, forward_;
    std::vector<Function> funcs_;
};

}  // namespace

void share_functions(const std::vector<NamedOutput> &outputs, const std::vector<NamedOutput> &gradients) {
    Sharing(outputs, gradients).run();
}

}  // namespace eutectic
