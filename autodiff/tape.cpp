#include "autodiff/tape.h"

#include "autodiff/expr_tools.h"
#include "autodiff/site.h"
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
        if (!apply_first_rule(*this, *f, adjoint, rules_)) {
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

Resolve Tape::resolver(const std::vector<LeafLoad> &loads, const std::string &adjoint_name, const Func &adjoint,
                       const SymbolicRegion &region) {
    return [=](const Call *call, const VariableBounds &bounds) -> Expr {
        if (call->name == adjoint_name) {
            return guarded(adjoint, region, call->args, bounds);
        }
        const Expr value = leaf_value(loads, call, bounds);
        if (value.defined()) {
            return value;
        }
        // Everything else that a rule wrote itself is clean already.
        const bool is_ours = placeholders_.count(call->name) != 0 || finished_.count(call->name) != 0 ||
                             call->call_type == Call::Image || input_of(callee(call)).defined() || call->name == adjoint.name();
        return is_ours ? Expr(call) : Expr();
    };
}

Expr Tape::leaf_value(const std::vector<LeafLoad> &loads, const Call *call, const VariableBounds &bounds) {
    for (const LeafLoad &load : loads) {
        if (call->name != load.leaf.name()) {
            continue;
        }
        std::vector<Expr> args = call->args;
        if (!load.points.empty()) {
            // The leaf stands for the load at one point of the loop; the load's arguments may read further leaves.
            std::map<std::string, Expr> at;
            for (size_t p = 0; p < load.points.size(); p++) {
                at[load.points[p].as<Variable>()->name] = call->args[p];
            }
            args.clear();
            for (const Expr &arg : load.args) {
                args.push_back(map_calls(replace_variables(arg, at), [&](const Call *inner) { return leaf_value(loads, inner, bounds); }));
            }
        }
        return value_within(load.callee, load.value_index, args, bounds);
    }
    return Expr();
}

void Tape::differentiate(const Function &f, const Func &adjoint, const SymbolicRegion &region) {
    check_supported(f, [this](const Function &g) { return is_active(g.name()); });
    const Segment segment = cut(f);
    for (const LeafLoad &load : segment.loads) {
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
        for (const LeafLoad &load : segment.loads) {
            const Func raw = derivative(load.leaf);
            if (raw.defined() && is_active(load.callee.name()) && load.leaf.type().is_float()) {
                add_load(load, raw, resolve, variables);
            }
        }
    } catch (const Halide::Error &error) {
        throw unsupported_by_halide(f, error.what());
    }
}

void Tape::add_load(const LeafLoad &load, const Func &raw, const Resolve &resolve, const VariableBounds &bounds) {
    const bool is_gather = load.points.empty();
    const Contribution part =
        is_gather ? tidy(raw, adjoint_vars(load.callee), region(load.callee), resolve) : scattered(load, raw, resolve, bounds);
    if (!is_const_zero(part.value)) {  // read in a condition only
        parts_[load.callee.name()].push_back(part);
    }
}

Contribution Tape::scattered(const LeafLoad &load, const Func &raw, const Resolve &resolve, const VariableBounds &bounds) {
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
    add_variables(all, rvars);
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
        where.push_back(map_calls(replace_variables(arg, at), [&](const Call *call) { return resolve(call, all); }));
    }
    const std::vector<std::string> vars = adjoint_vars(load.callee);
    sum(std::vector<Var>(vars.begin(), vars.end())) = make_zero(each.type());
    sum(where) += each(point);
    finished_.insert({each.name(), sum.name()});
    return {vars, sum(own_args(vars)), {}, {}};
}

}  // namespace eutectic
