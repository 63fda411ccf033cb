#include "autodiff/leaf.h"

#include "autodiff/derivable.h"
#include "autodiff/expr_tools.h"
#include "autodiff/guards.h"
#include "autodiff/logarithms.h"
#include "autodiff/wide_adjoints.h"

#include <algorithm>
#include <optional>
#include <set>

using namespace Halide;
using namespace Halide::Internal;

namespace eutectic {

namespace {

class CollectVariables : public IRGraphVisitor {
public:
    std::vector<const Variable *> outside, inside;  // of calls

private:
    using IRGraphVisitor::visit;
    void visit(const Variable *op) override {
        if (!op->param.defined()) {
            (depth_ == 0 ? outside : inside).push_back(op);
        }
    }
    void visit(const Call *op) override {
        const bool is_load = op->call_type == Call::Halide || op->call_type == Call::Image;
        depth_ += is_load;
        IRGraphVisitor::visit(op);
        depth_ -= is_load;
    }
    int depth_ = 0;
};

Expr in_type(const Type &type, const Expr &e) {
    return e.type() == type ? e : cast(type, e);
}

// A sum of variables, each once, and of what does not vary: Halide solves it for any of them.
bool is_easy(const Expr &arg) {
    CollectVariables collect;
    arg.accept(&collect);
    for (const Variable *v : collect.outside) {
        const Expr without = simplify(arg - Expr(v)), with = simplify(arg + Expr(v));
        if (uses_variable(without, v->name) && uses_variable(with, v->name)) {
            return false;
        }
    }
    return calls_in(arg).empty();
}

// The variables of a load that Halide is not to invert; nothing for any other.
std::optional<std::vector<Expr>> points_of(const std::vector<Expr> &args) {
    std::map<std::string, int> seen;
    std::vector<Expr> all;
    bool easy = true;
    for (const Expr &arg : args) {
        CollectVariables collect;
        arg.accept(&collect);
        std::set<std::string> here;
        std::vector<const Variable *> found = collect.outside;
        found.insert(found.end(), collect.inside.begin(), collect.inside.end());
        for (const Variable *v : found) {
            if (here.insert(v->name).second && ++seen[v->name] == 1) {
                all.emplace_back(v);
            }
        }
        easy = easy && is_easy(arg);
    }
    for (const auto &[name, count] : seen) {
        easy = easy && count == 1;
    }
    return easy ? std::nullopt : std::optional(all);
}

bool same_load(const LeafLoad &load, const Call *call) {
    if (load.callee.name() != call->name || load.value_index != call->value_index) {
        return false;
    }
    for (size_t d = 0; d < load.args.size(); d++) {
        if (!graph_equal(load.args[d], call->args[d])) {
            return false;
        }
    }
    return true;
}

LeafLoad new_load(const Call *call, const std::vector<ReductionVariable> &rvars) {
    const Function g = callee(call);
    LeafLoad load;
    load.callee = g;
    load.value_index = call->value_index;
    load.args = call->args;
    const auto points = points_of(call->args);
    load.at_points = points.has_value();
    load.points = points.value_or(std::vector<Expr>());
    std::vector<std::string> vars = adjoint_vars(g);
    if (load.at_points) {
        vars.clear();
        for (const Expr &point : load.points) {
            const std::string &name = point.as<Variable>()->name;
            vars.push_back(unique_name("point"));
            for (const ReductionVariable &v : rvars) {
                if (v.var == name) {
                    load.point_rvars.push_back(v);
                }
            }
        }
    }
    load.leaf = make_leaf("leaf_" + tensor_name(g), vars, wide_type(call->type));
    load.frozen = make_leaf("frozen_" + tensor_name(g), vars, wide_type(call->type));
    return load;
}

bool same_variables(const std::vector<Expr> &a, const std::vector<Expr> &b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Expr &one, const Expr &other) {
        return one.as<Variable>()->name == other.as<Variable>()->name;
    });
}

class FindDomain : public IRGraphVisitor {
public:
    ReductionDomain domain;

private:
    using IRGraphVisitor::visit;
    void visit(const Variable *op) override {
        domain = op->reduction_domain.defined() ? op->reduction_domain : domain;
    }
};

// The reduction variables of an update, of its own domain.
std::vector<Expr> points_of_update(const StageBody &body) {
    FindDomain find;
    body.value.accept(&find);
    for (const Expr &arg : body.args) {
        arg.accept(&find);
    }
    std::vector<Expr> points;
    for (const ReductionVariable &v : body.rvars) {
        points.push_back(Variable::make(Int(32), v.var, find.domain));
    }
    return points;
}

// 1, which varies along the reduction variables of an update, where the arguments of a load in it leave one
// out: m(i) of `s(i) += x(r, i) - m(i)` counts once for each r, which Halide misses where the derivative does
// not mention r.
Expr once_a_point(Segment &segment, const std::vector<Expr> &args, const std::vector<Expr> &points,
                  const Type &type) {
    const auto in_args = [&](const Expr &point) {
        return std::any_of(args.begin(), args.end(),
                           [&](const Expr &arg) { return uses_variable(arg, point.as<Variable>()->name); });
    };
    if (std::all_of(points.begin(), points.end(), in_args)) {
        return Expr();
    }
    for (const FrozenValue &known : segment.values) {
        if (is_const_one(known.value) && known.value.type() == type && same_variables(known.points, points)) {
            return known.leaf(known.points);
        }
    }
    std::vector<std::string> vars;
    for (size_t p = 0; p < points.size(); p++) {
        vars.push_back(unique_name("point"));
    }
    segment.values.push_back({make_leaf("once", vars, type), points, make_one(type)});
    return segment.values.back().leaf(points);
}

Expr read(Segment &segment, const LeafLoad &load, const Type &type, const std::vector<Expr> &points) {
    const Expr value = load.leaf(load.at_points ? load.points : load.args);
    const Expr once =
        value.type().is_float() ? once_a_point(segment, load.args, points, value.type()) : Expr();
    return in_type(type, once.defined() ? value * once : value);
}

// e with frozen leaves in place of leaves.
Expr frozen(const Segment &segment, const Expr &e) {
    return map_calls(e, [&](const Call *call) -> Expr {
        for (const LeafLoad &load : segment.loads) {
            if (call->name == load.leaf.name()) {
                return load.frozen(call->args);
            }
        }
        return Expr();
    });
}

// The value of e at each point of the loops, whose variables are all that it depends on.
Expr frozen_whole(Segment &segment, const Expr &e) {
    for (const FrozenValue &known : segment.values) {
        if (graph_equal(known.value, e)) {
            return known.leaf(known.points);
        }
    }
    FrozenValue value;
    value.points = free_variables(e);
    value.value = e;
    std::vector<std::string> vars;
    for (size_t p = 0; p < value.points.size(); p++) {
        vars.push_back(unique_name("point"));
    }
    value.leaf = make_leaf("frozen_value", vars, e.type());
    segment.values.push_back(value);
    return value.leaf(value.points);
}

}  // namespace

Type wide_type(const Type &type) {
    return is_narrow(type) ? Float(32) : type;
}

Func make_leaf(const std::string &name, const std::vector<std::string> &vars, const Type &type) {
    Func leaf(name);
    leaf(std::vector<Var>(vars.begin(), vars.end())) = undef(type);
    return leaf;
}

std::vector<std::string> adjoint_vars(const Function &f) {
    std::vector<std::string> vars = f.args();
    for (size_t d = 0; d < vars.size(); d++) {
        if (Var::is_implicit(vars[d])) {
            vars[d] = "d" + std::to_string(d);
        }
    }
    return vars;
}

Segment cut(const Function &f, const RuleList &rules, int element) {
    Segment segment;
    segment.func = Func("segment_" + given_name(f.name()));
    const std::vector<ReductionVariable> none, *rvars = &none;
    std::vector<Expr> points;  // of the update
    const auto to_leaf = [&](const Call *call) -> Expr {
        if (call->name == f.name()) {
            return in_type(call->type, segment.func(call->args));
        }
        if (call->call_type != Call::Halide) {
            return Expr();
        }
        for (const LeafLoad &load : segment.loads) {
            if (same_load(load, call)) {
                return read(segment, load, call->type, points);
            }
        }
        segment.loads.push_back(new_load(call, *rvars));
        return read(segment, segment.loads.back(), call->type, points);
    };
    const Freeze freeze{[&](const Expr &e) { return frozen(segment, e); },
                        [&](const Expr &e) { return frozen_whole(segment, e); }};
    const auto rewrite = [&](const Expr &e) {
        return derivable(map_calls(with_stable_logarithms(without_needless_clamps(e)), to_leaf), freeze,
                         rules);
    };
    const auto wide = [&](const Expr &e) { return in_type(wide_type(e.type()), rewrite(e)); };
    const std::vector<StageBody> bodies = stage_bodies(f, element);
    segment.func(std::vector<Var>(f.args().begin(), f.args().end())) = wide(bodies[0].value);
    for (size_t stage = 1; stage < bodies.size(); stage++) {
        const StageBody body = mentions_pure_variable(f, bodies[stage])
                                   ? without_predicate(f, element, bodies[stage])
                                   : bodies[stage];
        rvars = &body.rvars;
        points = points_of_update(body);
        std::vector<Expr> args;
        for (const Expr &arg : body.args) {
            args.push_back(rewrite(arg));
        }
        segment.func(args) = wide(body.value);
    }
    return segment;
}

}  // namespace eutectic
