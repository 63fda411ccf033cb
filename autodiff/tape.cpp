#include "autodiff/tape.h"

#include "autodiff/digits.h"
#include "autodiff/expr_tools.h"
#include "autodiff/site.h"
#include "autodiff/stages.h"
#include "autodiff/supported.h"
#include "autodiff/updates.h"

#include "base/user_error.h"

#include <algorithm>
#include <optional>
#include <sstream>

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

Tape::Tape(std::vector<Function> order, std::map<std::string, SymbolicRegion> regions,
           std::map<Element, Func> upstream, std::set<std::string> wrt, const std::set<std::string> &outputs,
           const RuleList &rules)
    : order_(std::move(order)),
      regions_(std::move(regions)),
      upstream_(std::move(upstream)),
      wrt_(std::move(wrt)),
      activity_(order_, wrt_, outputs),
      rules_(rules) {
}

void Tape::add_placeholder(const Placeholder &placeholder) {
    placeholders_[placeholder.func.name()] = placeholder;
    placeholder_order_.push_back(placeholder.func.name());
}

const SymbolicRegion &Tape::region(const Function &f) const {
    return regions_.at(f.name());
}

bool Tape::has_region(const Function &f) const {
    return regions_.count(f.name()) != 0;
}

void Tape::run() {
    for (auto f = order_.rbegin(); f != order_.rend(); ++f) {
        if (!is_active(f->name())) {
            continue;
        }
        const std::vector<Func> adjoints = adjoints_of(*f);
        const bool has_adjoint =
            std::any_of(adjoints.begin(), adjoints.end(), [](const Func &a) { return a.defined(); });
        if (!has_adjoint || wrt_.count(f->name())) {
            continue;
        }
        check_written_in_halide(*f);
        check_bounded(*f);
        if (adjoints.size() != 1 || !apply_first_rule(*this, *f, adjoints[0], rules_)) {
            differentiate(*f, adjoints, region(*f));
        }
    }
}

void Tape::check_bounded(const Function &f) const {
    if (!is_bounded(region(f))) {
        const Expr index = index_without_bounds(order_, regions_, f);
        std::ostringstream text;
        text << index;
        throw unsupported(f,
                          !index.defined() || !calls_in(index).empty()
                              ? "is read at indices that depend on data without bounds"
                              : "is read at " + text.str() + ", whose range is not known",
                          "clamp the indices");
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

std::vector<Func> Tape::adjoints_of(const Function &f) {
    std::vector<Func> adjoints;
    for (int element = 0; element < f.outputs(); element++) {
        adjoints.push_back(adjoint_of(f, element));
    }
    return adjoints;
}

Func Tape::adjoint_of(const Function &f, int element) {
    std::vector<Contribution> parts = parts_[{f.name(), element}];
    const auto given = upstream_.find({f.name(), element});
    if (given != upstream_.end()) {
        const std::vector<std::string> vars = adjoint_vars(f);
        Contribution upstream{vars, Expr(), {}, {}};
        upstream.value = given->second(own_args(vars));
        wide_.add(given->second.name());
        parts.push_back(upstream);
    }
    if (parts.empty()) {
        return Func();
    }
    const bool is_wrt = wrt_.count(f.name()) != 0;
    const Func sum = sum_up(f, f.output_types()[element], parts, is_wrt);
    if (is_wrt) {
        gradients_[f.name()] = sum;
    }
    return sum;
}

Func Tape::sum_up(const Function &f, const Type &type, const std::vector<Contribution> &parts,
                  bool pure_result) {
    const std::string name = "d_" + tensor_name(f);
    const std::vector<std::string> vars = adjoint_vars(f);
    if (parts.size() == 1 && !pure_result) {
        if (parts[0].rvars.empty() && is_identity_call(parts[0].value, parts[0].vars)) {
            return Func(callee(parts[0].value.as<Call>()));
        }
        Contribution only = renamed(parts[0], vars);
        only.value = wide_.widened(only.value);
        return wide_.narrowed(define_func(name, only), type);
    }
    Expr total;
    for (const Contribution &part : parts) {
        Contribution own = renamed(part, vars);
        own.value = wide_.widened(own.value);
        const std::vector<Expr> args(own_args(vars));
        const Expr value = own.rvars.empty() ? own.value : define_func(name + "_sum", own)(args);
        total = total.defined() ? total + value : value;
    }
    return wide_.narrowed(define_func(name, {vars, total, {}, {}}), type);
}

Expr Tape::value(const Function &g, int value_index, const std::vector<Expr> &args) {
    if (input_of(g).defined()) {
        return Func(g)(args);
    }
    const auto copy = copies_.find({g.name(), value_index});
    if (copy != copies_.end()) {
        return value(copy->second, 0, args);
    }
    const auto stand_in = stand_ins_.find(g.name());
    if (stand_in != stand_ins_.end()) {
        return stand_in->second(value_index, args);
    }
    const auto [it, fresh] = value_placeholder_.emplace(std::pair(g.name(), value_index), "");
    if (fresh) {
        Placeholder p;
        p.func = make_leaf("value_" + tensor_name(g), adjoint_vars(g), g.output_types()[value_index]);
        p.of = g;
        p.value_index = value_index;
        it->second = p.func.name();
        add_placeholder(p);
    }
    return placeholders_.at(it->second).func(args);
}

Expr Tape::value_within(const Function &g, int value_index, const std::vector<Expr> &args,
                        const VariableBounds &bounds) {
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
        const bool low = proved(args[d] >= region[d].min, bounds),
                   high = proved(args[d] <= region[d].max, bounds);
        if (!low || !high) {
            condition = condition && args[d] >= region[d].min && args[d] <= region[d].max;
            inside[d] = clamp(args[d], region[d].min, region[d].max);
        }
    }
    const Expr there = adjoint(inside);
    return is_const_one(condition) ? there : select(condition, there, make_zero(there.type()));
}

Resolve Tape::resolver(const Segment &segment, const std::string &adjoint_name, const Func &adjoint,
                       const SymbolicRegion &region) {
    return [=](const Call *call, const VariableBounds &bounds) -> Expr {
        if (call->name == adjoint_name) {
            const Expr there = guarded(adjoint, region, call->args, bounds);
            return there.type() == call->type ? there : wide_.widened(there);
        }
        const Expr value = leaf_value(segment, call, bounds);
        if (value.defined()) {
            return value;
        }
        // Everything else that a rule wrote itself is clean already.
        const bool is_ours = placeholders_.count(call->name) != 0 || finished_.count(call->name) != 0 ||
                             call->call_type == Call::Image || input_of(callee(call)).defined() ||
                             call->name == adjoint.name();
        return is_ours ? Expr(call) : Expr();
    };
}

Expr Tape::leaf_value(const Segment &segment, const Call *call, const VariableBounds &bounds) {
    // e at one point of the loop; it may read further leaves.
    const auto at_point = [&](const Expr &e, const std::vector<Expr> &points) {
        std::map<std::string, Expr> at;
        for (size_t p = 0; p < points.size(); p++) {
            at[points[p].as<Variable>()->name] = call->args[p];
        }
        return map_calls(replace_variables(e, at),
                         [&](const Call *inner) { return leaf_value(segment, inner, bounds); });
    };
    for (const FrozenValue &value : segment.values) {
        if (call->name == value.leaf.name()) {
            return at_point(value.value, value.points);
        }
    }
    for (const LeafLoad &load : segment.loads) {
        if (call->name != load.leaf.name() && call->name != load.frozen.name()) {
            continue;
        }
        std::vector<Expr> args = call->args;
        if (load.at_points) {
            args.clear();
            for (const Expr &arg : load.args) {
                args.push_back(at_point(arg, load.points));
            }
        }
        const Expr value = value_within(load.callee, load.value_index, args, bounds);
        return is_narrow(value.type()) ? cast(call->type, value) : value;
    }
    return Expr();
}

void Tape::differentiate(const Function &f, const std::vector<Func> &adjoints, const SymbolicRegion &region) {
    const IsActive is_active = [this](const Function &g, int element) { return this->is_active(g, element); };
    check_supported(f, is_active, rules_);
    if (!is_linear(f, is_active)) {
        reverse_stages(*this, f, adjoints);
        return;
    }
    for (size_t element = 0; element < adjoints.size(); element++) {
        if (adjoints[element].defined() && f.output_types()[element].is_float()) {
            propagate(f, static_cast<int>(element), adjoints[element], region);
        }
    }
}

void Tape::propagate(const Function &f, int element, const Func &adjoint, const SymbolicRegion &region) {
    const Segment segment = cut(f, rules_, element);
    for (const LeafLoad &load : segment.loads) {
        if (is_active(load.callee.name())) {
            check_bounded(load.callee);
        }
    }
    const Func marker = make_leaf("adjoint", adjoint_vars(f), segment.func.type());
    Region bounds = as_min_extent(region);
    for (Range &range : bounds) {
        range.extent =
            simplify_index(range.extent - 1);  // the overload reads (min, max - min), not (min, extent)
    }
    try {
        const Derivative derivative = propagate_adjoints(segment.func, marker, bounds);
        const Resolve resolve = resolver(segment, marker.name(), adjoint, region);
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

void Tape::add_load(const LeafLoad &load, const Func &raw, const Resolve &resolve,
                    const VariableBounds &bounds) {
    const Contribution part = load.at_points
                                  ? scattered(load, raw, resolve, bounds)
                                  : tidy(raw, adjoint_vars(load.callee), region(load.callee), resolve);
    if (!is_const_zero(part.value)) {  // read in a condition only
        parts_[{load.callee.name(), load.value_index}].push_back(part);
    }
}

// Each point of the loop is a variable of the result, where it is just one of the arguments, or one that is
// summed over.
Contribution Tape::scattered(const LeafLoad &load, const Func &raw, const Resolve &resolve,
                             const VariableBounds &bounds) {
    const std::vector<std::string> vars = adjoint_vars(load.callee);
    VariableBounds all, loop;
    add_variables(loop, load.point_rvars);
    add_variables(all, load.point_rvars);
    add_variables(all, vars, region(load.callee));
    std::vector<Expr> where(load.args.size()), point(load.points.size());
    SymbolicRegion points;
    for (const Expr &v : load.points) {
        const std::string &name = v.as<Variable>()->name;
        points.push_back(bounds.contains(name) ? bounds.get(name) : loop.get(name));
        loop.push(name, points.back());
    }
    const Digits digits = digits_of(load.args, loop, vars, all);
    std::vector<ReductionVariable> rvars;
    Expr inside = digits.inside;
    for (size_t p = 0; p < load.points.size(); p++) {
        const std::string &name = load.points[p].as<Variable>()->name;
        const Interval &own = points[p];
        if (const auto digit = digits.points.find(name); digit != digits.points.end()) {
            const Expr &v = digit->second;
            point[p] =
                proved(v >= own.min, all) && proved(v <= own.max, all) ? v : clamp(v, own.min, own.max);
        } else {
            const Range range = as_min_extent({own})[0];
            rvars.push_back({unique_name("r"), range.min, range.extent});
        }
    }
    add_variables(all, rvars);
    const ReductionDomain domain(rvars);
    std::map<std::string, Expr> at;
    for (size_t p = 0, r = 0; p < point.size(); p++) {
        point[p] = point[p].defined() ? point[p] : Variable::make(Int(32), rvars[r++].var, domain);
        at[load.points[p].as<Variable>()->name] = point[p];
    }
    for (size_t d = 0; d < where.size(); d++) {
        where[d] = digits.dims.count(d) ? Expr(Var(vars[d]))
                                        : map_calls(replace_variables(load.args[d], at),
                                                    [&](const Call *call) { return resolve(call, all); });
    }
    const std::string name = "d_" + tensor_name(load.callee);
    Contribution of_each = tidy(raw, raw.function().args(), points, resolve);
    of_each.value = wide_.widened(of_each.value);
    const Func each = define_func(name + "_points", of_each);
    const Expr zero = make_zero(of_each.value.type()),
               value = is_const_one(inside) ? each(point) : select(inside, each(point), zero);
    if (const auto one = at_one_element(vars, where, rvars)) {
        finished_.insert(each.name());
        return total_at(name + "_total", vars, *one, {vars, value, rvars, {}});
    }
    Func sum(name + "_scatter");
    sum(std::vector<Var>(vars.begin(), vars.end())) = zero;
    sum(where) += value;
    finished_.insert({each.name(), sum.name()});
    return {vars, sum(own_args(vars)), {}, {}};
}

}  // namespace eutectic
