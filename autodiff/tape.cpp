#include "autodiff/tape.h"

#include "autodiff/expr_tools.h"
#include "autodiff/supported.h"

#include "base/user_error.h"

using namespace Halide;
using namespace Halide::Internal;

namespace eutectic {

namespace {

std::vector<Expr> own_args(const std::vector<std::string> &vars) {
    std::vector<Expr> args;
    for (const std::string &v : vars) {
        args.push_back(Var(v));
    }
    return args;
}

Contribution renamed(const Contribution &c, const std::vector<std::string> &vars) {
    std::map<std::string, Expr> by_name;
    for (size_t d = 0; d < vars.size(); d++) {
        by_name[c.vars[d]] = Var(vars[d]);
    }
    Contribution result{vars, replace_variables(c.value, by_name), c.rvars, c.predicate};
    for (Expr &condition : result.predicate) {
        condition = replace_variables(condition, by_name);
    }
    return result;
}

}  // namespace

/// Where a rule stands: at one forward Func with its adjoint.
class TapeSite : public Site {
public:
    TapeSite(Tape &tape, const Function &f, const Func &adjoint)
        : tape_(tape), f_(f), adjoint_(adjoint), marker_(make_leaf("adjoint", adjoint_vars(f), f.output_types()[0])) {
    }

    const Function &func() const override {
        return f_;
    }
    const SymbolicRegion &region() const override {
        return tape_.region(f_);
    }
    Expr adjoint(const std::vector<Expr> &args) override {
        return marker_(args);
    }
    bool is_active(const Function &g) const override {
        return tape_.is_active(g.name());
    }
    bool is_output(const Function &g) const override {
        return tape_.upstream_.count(g.name()) != 0;
    }
    Expr value(const Function &g, const std::vector<Expr> &args) override {
        return tape_.value(g, 0, args);
    }
    Expr values_in(const Expr &e) override {
        return tape_.values(e);
    }
    Expr made(const MadeResidual &residual, const Type &type, const std::vector<Expr> &args) override {
        Placeholder p;
        p.func = make_leaf("made_" + residual.kind, adjoint_vars(f_), type);
        p.is_made = true;
        p.made = residual;
        tape_.add_placeholder(p);
        return p.func(args);
    }
    void contribute(const Function &g, const Contribution &contribution, const SymbolicRegion *within) override {
        if (within) {
            tape_.within_[g.name()] = *within;
        }
        if (tape_.is_active(g.name())) {
            tape_.parts_[g.name()].push_back(clean(contribution, within ? *within : tape_.region(g)));
        }
    }
    Func define(const std::string &name, const Contribution &definition, const SymbolicRegion &region) override {
        const Func f = define_func("d_" + tensor_name(f_) + "_" + name, clean(definition, region));
        tape_.finished_.insert(f.name());
        return f;
    }
    void chain(const std::vector<std::string> &vars, const SymbolicRegion &region, const Expr &inner,
               const Expr &adjoint) override {
        const Contribution d = clean({vars, adjoint, {}, {}}, region);
        const Call *call = inner.as<Call>();
        if (call && is_identity_call(inner, vars) && callee(call).name() != f_.name()) {
            // The inner expression is another Func as it is: its adjoint needs no Func in between.
            const Function g = callee(call);
            if (tape_.is_active(g.name())) {
                std::map<std::string, Expr> rename;
                const std::vector<std::string> names = adjoint_vars(g);
                for (size_t i = 0; i < names.size(); i++) {
                    rename[vars[i]] = Var(names[i]);
                }
                contribute(g, {names, replace_variables(d.value, rename), {}, {}}, nullptr);
            }
            return;
        }
        Func segment(given_name(f_.name()) + "_inner");
        segment(std::vector<Var>(vars.begin(), vars.end())) = inner;
        tape_.differentiate(segment.function(), define_func("d_" + segment.name(), d), region);
    }

private:
    Contribution clean(const Contribution &c, const SymbolicRegion &region) const {
        VariableBounds bounds;
        add_variables(bounds, c.vars, region);
        add_variables(bounds, c.rvars);
        const Resolve resolve = tape_.resolver({}, marker_.name(), adjoint_, tape_.region(f_));
        return {c.vars, tidy_expr(c.value, bounds, resolve), c.rvars, c.predicate};
    }

    Tape &tape_;
    const Function f_;
    const Func adjoint_, marker_;
};

Tape::Tape(std::vector<Function> order, std::map<std::string, SymbolicRegion> regions, std::map<std::string, Func> upstream,
           std::set<std::string> wrt, const RuleList &rules)
    : order_(std::move(order)), regions_(std::move(regions)), upstream_(std::move(upstream)), wrt_(std::move(wrt)), rules_(rules) {
    find_active();
}

void Tape::add_placeholder(const Placeholder &placeholder) {
    placeholders_[placeholder.func.name()] = placeholder;
    placeholder_order_.push_back(placeholder.func.name());
}

void Tape::find_active() {
    for (const Function &f : order_) {
        bool active = wrt_.count(f.name()) != 0;
        for (const auto &[name, g] : find_direct_calls(f)) {
            active = active || is_active(name);
        }
        for (const ExternFuncArgument &arg : f.extern_arguments()) {
            const bool is_input = arg.is_image_param() && arg.image_param.type().is_float();
            active = active || is_input || (arg.is_func() && is_active(Function(arg.func).name()));
        }
        if (active) {
            active_.insert(f.name());
        }
    }
}

const SymbolicRegion &Tape::region(const Function &f) const {
    return regions_.at(f.name());
}

void Tape::run() {
    for (auto f = order_.rbegin(); f != order_.rend(); ++f) {
        if (!is_active(f->name())) {
            continue;
        }
        if (f->outputs() != 1 && (parts_.count(f->name()) || upstream_.count(f->name()))) {
            throw unsupported(*f, "is tuple-valued", "write one Func for each element");
        }
        const Func adjoint = adjoint_of(*f);
        if (!adjoint.defined() || wrt_.count(f->name())) {
            continue;
        }
        check_bounded(*f);
        TapeSite site(*this, *f, adjoint);
        bool matched = false;
        for (const Rule &rule : rules_) {
            matched = matched || rule.apply(site);
        }
        if (!matched) {
            differentiate(*f, adjoint, region(*f));
        }
    }
}

void Tape::check_bounded(const Function &f) const {
    if (!is_bounded(region(f))) {
        throw unsupported(f, "is read at indices that depend on data without bounds", "clamp the indices");
    }
}

Func Tape::gradient(const std::string &input_func) {
    const auto it = gradients_.find(input_func);
    return it == gradients_.end() ? Func() : it->second;
}

const SymbolicRegion &Tape::gradient_region(const std::string &input_func) const {
    const auto it = within_.find(input_func);
    return it == within_.end() ? regions_.at(input_func) : it->second;
}

Func Tape::adjoint_of(const Function &f) {
    std::vector<Contribution> parts = parts_[f.name()];
    const auto given = upstream_.find(f.name());
    if (given != upstream_.end()) {
        const std::vector<std::string> vars = adjoint_vars(f);
        Contribution upstream{vars, Expr(), {}, {}};
        upstream.value = given->second(own_args(vars));
        parts.push_back(upstream);
    }
    if (parts.empty()) {
        return Func();
    }
    const bool is_wrt = wrt_.count(f.name()) != 0;
    const Func sum = sum_up(f, parts, is_wrt);
    if (is_wrt) {
        gradients_[f.name()] = sum;
    }
    return sum;
}

Func define_func(const std::string &name, const Contribution &definition) {
    Func f(name);
    const std::vector<Var> vars(definition.vars.begin(), definition.vars.end());
    if (definition.rvars.empty()) {
        f(vars) = definition.value;
        return f;
    }
    std::vector<ReductionVariable> rvars;
    std::map<std::string, Expr> rename;
    for (const ReductionVariable &v : definition.rvars) {
        rvars.push_back({unique_name("r"), v.min, v.extent});
    }
    ReductionDomain domain(rvars);
    for (size_t v = 0; v < rvars.size(); v++) {
        rename[definition.rvars[v].var] = Variable::make(Int(32), rvars[v].var, domain);
    }
    for (const Expr &condition : definition.predicate) {
        domain.where(replace_variables(condition, rename));
    }
    f(vars) = make_zero(definition.value.type());
    f(vars) += replace_variables(definition.value, rename);
    return f;
}

Func Tape::sum_up(const Function &f, const std::vector<Contribution> &parts, bool pure_result) {
    const std::string name = "d_" + tensor_name(f);
    if (parts.size() == 1 && !pure_result) {
        if (parts[0].rvars.empty() && is_identity_call(parts[0].value, parts[0].vars)) {
            return Func(callee(parts[0].value.as<Call>()));
        }
        return define_func(name, renamed(parts[0], adjoint_vars(f)));
    }
    const std::vector<std::string> vars = adjoint_vars(f);
    Expr total;
    for (const Contribution &part : parts) {
        const Contribution own = renamed(part, vars);
        const std::vector<Expr> args(own_args(vars));
        const Expr value = own.rvars.empty() ? own.value : define_func(name + "_sum", own)(args);
        total = total.defined() ? total + value : value;
    }
    return define_func(name, {vars, total, {}, {}});
}

Expr Tape::value(const Function &g, int value_index, const std::vector<Expr> &args) {
    if (input_of(g).defined()) {
        return Func(g)(args);
    }
    const auto [it, fresh] = value_placeholder_.emplace(std::pair(g.name(), value_index), "");
    if (fresh) {
        Placeholder p;
        p.func = make_leaf("value_" + tensor_name(g), adjoint_vars(g), g.output_types()[static_cast<size_t>(value_index)]);
        p.of = g;
        p.value_index = value_index;
        it->second = p.func.name();
        add_placeholder(p);
    }
    return placeholders_.at(it->second).func(args);
}

Expr Tape::value_within(const Function &g, int value_index, const std::vector<Expr> &args, const VariableBounds &bounds) {
    const SymbolicRegion &whole = region(g);
    std::vector<Expr> inside = args;
    for (size_t d = 0; d < args.size(); d++) {
        const Expr low = whole[d].min, high = whole[d].max;
        if (whole[d].has_upper_bound() && !proved(args[d] <= high, bounds)) {
            inside[d] = min(inside[d], high);
        }
        if (whole[d].has_lower_bound() && !proved(args[d] >= low, bounds)) {
            inside[d] = max(inside[d], low);
        }
    }
    return value(g, value_index, inside);
}

Expr Tape::guarded(const Func &adjoint, const SymbolicRegion &region, const std::vector<Expr> &args,
                   const VariableBounds &bounds) const {
    std::vector<Expr> inside = args;
    Expr condition = const_true();
    for (size_t d = 0; d < args.size(); d++) {
        const bool low = proved(args[d] >= region[d].min, bounds), high = proved(args[d] <= region[d].max, bounds);
        if (!low || !high) {
            condition = condition && args[d] >= region[d].min && args[d] <= region[d].max;
            inside[d] = clamp(args[d], region[d].min, region[d].max);
        }
    }
    const Expr there = adjoint(inside);
    return is_const_one(condition) ? there : select(condition, there, make_zero(there.type()));
}

Resolve Tape::resolver(const std::vector<Load> &loads, const std::string &adjoint_name, const Func &adjoint,
                       const SymbolicRegion &region) {
    return [=](const Call *call, const VariableBounds &bounds) -> Expr {
        if (call->name == adjoint_name) {
            return guarded(adjoint, region, call->args, bounds);
        }
        for (const Load &load : loads) {
            if (call->name == load.leaf.name()) {
                std::vector<Expr> args = load.points.empty() ? call->args : load.args;
                std::map<std::string, Expr> at;
                for (size_t p = 0; p < load.points.size(); p++) {
                    at[load.points[p].as<Variable>()->name] = call->args[p];
                }
                for (Expr &arg : args) {
                    arg = replace_variables(arg, at);
                }
                return value_within(load.callee, load.value_index, args, bounds);
            }
        }
        // Everything else that a rule wrote itself is clean already.
        const bool is_ours = placeholders_.count(call->name) != 0 || finished_.count(call->name) != 0 ||
                             call->call_type == Call::Image || input_of(callee(call)).defined() || call->name == adjoint.name();
        return is_ours ? Expr(call) : Expr();
    };
}

void Tape::differentiate(const Function &f, const Func &adjoint, const SymbolicRegion &region) {
    check_supported(f, [this](const Function &g) { return is_active(g.name()); });
    const Segment segment = cut(f);
    for (const Load &load : segment.loads) {
        if (is_active(load.callee.name())) {
            check_bounded(load.callee);
        }
    }
    const Func marker = make_leaf("adjoint", adjoint_vars(f), f.output_types()[0]);
    Region bounds = as_min_extent(region);
    for (Range &range : bounds) {
        range.extent = simplify_index(range.extent - 1);  // the overload reads (min, max - min), not (min, extent)
    }
    try {
        const Derivative derivative = propagate_adjoints(segment.func, marker, bounds);
        const Resolve resolve = resolver(segment.loads, marker.name(), adjoint, region);
        VariableBounds variables;
        add_variables(variables, f.args(), region);
        for (const Load &load : segment.loads) {
            const Func raw = derivative(load.leaf);
            if (raw.defined() && is_active(load.callee.name()) && load.leaf.type().is_float()) {
                add_load(load, raw, resolve, variables);
            }
        }
    } catch (const Halide::Error &error) {
        throw unsupported_by_halide(f, error.what());
    }
}

void Tape::add_load(const Load &load, const Func &raw, const Resolve &resolve, const VariableBounds &bounds) {
    const bool is_gather = load.points.empty();
    const Contribution part =
        is_gather ? tidy(raw, adjoint_vars(load.callee), region(load.callee), resolve) : scattered(load, raw, resolve, bounds);
    if (!is_const_zero(part.value)) {  // read in a condition only
        parts_[load.callee.name()].push_back(part);
    }
}

Contribution Tape::scattered(const Load &load, const Func &raw, const Resolve &resolve, const VariableBounds &bounds) {
    VariableBounds all;
    SymbolicRegion points;
    std::vector<ReductionVariable> rvars;
    std::map<std::string, Expr> at;
    std::vector<Expr> point;
    add_variables(all, load.point_rvars);
    for (const Expr &p : load.points) {
        const std::string &name = p.as<Variable>()->name;
        points.push_back(all.contains(name) ? all.get(name) : bounds.get(name));
    }
    const Region ranges = as_min_extent(points);
    for (const Range &range : ranges) {
        rvars.push_back({unique_name("r"), range.min, range.extent});
    }
    const RDom domain{ReductionDomain(rvars)};
    for (size_t p = 0; p < points.size(); p++) {
        point.push_back(domain[static_cast<int>(p)]);
        at[load.points[p].as<Variable>()->name] = point.back();
    }
    const std::string name = "d_" + tensor_name(load.callee);
    const Func each = define_func(name + "_points", tidy(raw, raw.function().args(), points, resolve));
    Func sum(name + "_scatter");
    std::vector<Expr> where;
    for (const Expr &arg : load.args) {
        where.push_back(values(replace_variables(arg, at)));
    }
    const std::vector<std::string> vars = adjoint_vars(load.callee);
    sum(std::vector<Var>(vars.begin(), vars.end())) = make_zero(each.type());
    sum(where) += each(point);
    finished_.insert({each.name(), sum.name()});
    return {vars, sum(own_args(vars)), {}, {}};
}

Expr Tape::values(const Expr &e) {
    return map_calls(e, [&](const Call *call) -> Expr {
        return call->call_type == Call::Halide ? value(callee(call), call->value_index, call->args) : Expr();
    });
}

}  // namespace eutectic
