#include "autodiff/leaf.h"

#include "autodiff/expr_tools.h"

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

bool same_load(const Load &load, const Call *call) {
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
    const auto to_leaf = [&](const Call *call) -> Expr {
        if (call->name == f.name()) {
            return segment.func(call->args);
        }
        if (call->call_type != Call::Halide) {
            return Expr();
        }
        for (const Load &load : segment.loads) {
            if (same_load(load, call)) {
                return load.leaf(call->args);
            }
        }
        const Function g = callee(call);
        Load load{g, call->value_index, call->args, make_leaf("leaf_" + tensor_name(g), adjoint_vars(g), call->type)};
        segment.loads.push_back(load);
        return load.leaf(call->args);
    };
    const auto rewrite = [&](const Expr &e) { return map_calls(TanhThroughExp().mutate(e), to_leaf); };
    const std::vector<StageBody> bodies = stage_bodies(f);
    segment.func(std::vector<Var>(f.args().begin(), f.args().end())) = rewrite(bodies[0].value);
    for (size_t stage = 1; stage < bodies.size(); stage++) {
        std::vector<Expr> args;
        for (const Expr &arg : bodies[stage].args) {
            args.push_back(rewrite(arg));
        }
        segment.func(args) = rewrite(bodies[stage].value);
    }
    return segment;
}

}  // namespace eutectic
