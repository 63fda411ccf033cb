#include "autodiff/leaf.h"

#include "autodiff/expr_tools.h"

#include <set>

using namespace Halide;
using namespace Halide::Internal;

namespace eutectic {

namespace {

class TanhThroughExp : public IRGraphMutator {
    using IRGraphMutator::visit;
    Expr visit(const Call *op) override {
        Expr e = IRGraphMutator::visit(op);
        const Call *call = e.as<Call>();
        if (!call || (call->name != "tanh_f32" && call->name != "tanh_f64")) {
            return e;
        }
        // 1 - 2 / (exp(2x) + 1), clamped where the result is ±1 to the last bit.
        const Type t = call->type;
        const Expr twice = clamp(call->args[0] * make_const(t, 2), make_const(t, -40), make_const(t, 40));
        return make_one(t) - make_const(t, 2) / (exp(twice) + make_one(t));
    }
};

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

// The variables of a load one of which stands in two arguments; empty when none does. An argument that is data, as in x(labels(i), i),
// may name a variable that another argument is.
std::vector<Expr> shared_variables(const std::vector<Expr> &args) {
    std::map<std::string, int> seen;
    std::vector<Expr> all;
    for (const Expr &arg : args) {
        CollectVariables collect;
        arg.accept(&collect);
        std::set<std::string> here;
        std::vector<const Variable *> found = collect.outside;
        if (!found.empty()) {
            found.insert(found.end(), collect.inside.begin(), collect.inside.end());
        }
        for (const Variable *v : found) {
            if (here.insert(v->name).second && ++seen[v->name] == 1) {
                all.emplace_back(v);
            }
        }
        for (const Variable *v : collect.inside) {
            if (seen.emplace(v->name, 0).second) {
                all.emplace_back(v);
            }
        }
    }
    for (const auto &[name, count] : seen) {
        if (count > 1) {
            return all;
        }
    }
    return {};
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
    load.points = shared_variables(call->args);
    std::vector<std::string> vars = adjoint_vars(g);
    if (!load.points.empty()) {
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
    load.leaf = make_leaf("leaf_" + tensor_name(g), vars, call->type);
    return load;
}

Expr read(const LeafLoad &load) {
    return load.leaf(load.points.empty() ? load.args : load.points);
}

}  // namespace

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

Segment cut(const Function &f) {
    Segment segment;
    segment.func = Func("segment_" + given_name(f.name()));
    const std::vector<ReductionVariable> none, *rvars = &none;
    const auto to_leaf = [&](const Call *call) -> Expr {
        if (call->name == f.name()) {
            return segment.func(call->args);
        }
        if (call->call_type != Call::Halide) {
            return Expr();
        }
        for (const LeafLoad &load : segment.loads) {
            if (same_load(load, call)) {
                return read(load);
            }
        }
        segment.loads.push_back(new_load(call, *rvars));
        return read(segment.loads.back());
    };
    const auto rewrite = [&](const Expr &e) { return map_calls(TanhThroughExp().mutate(e), to_leaf); };
    const std::vector<StageBody> bodies = stage_bodies(f);
    segment.func(std::vector<Var>(f.args().begin(), f.args().end())) = rewrite(bodies[0].value);
    for (size_t stage = 1; stage < bodies.size(); stage++) {
        rvars = &bodies[stage].rvars;
        std::vector<Expr> args;
        for (const Expr &arg : bodies[stage].args) {
            args.push_back(rewrite(arg));
        }
        segment.func(args) = rewrite(bodies[stage].value);
    }
    return segment;
}

}  // namespace eutectic
