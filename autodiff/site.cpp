#include "autodiff/site.h"

#include "autodiff/expr_tools.h"
#include "autodiff/leaf.h"

using namespace Halide;
using namespace Halide::Internal;

namespace eutectic {

/// Where a rule stands: at one forward Func with its adjoint.
class TapeSite : public AdjointSite {
public:
    TapeSite(Tape &tape, const Function &f, const Func &adjoint)
        : tape_(tape),
          f_(f),
          adjoint_(adjoint),
          marker_(make_leaf("adjoint", adjoint_vars(f), f.output_types()[0])) {
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
        return tape_.upstream_.count({g.name(), 0}) != 0;
    }
    Expr value(const Function &g, const std::vector<Expr> &args) override {
        return tape_.value(g, 0, args);
    }
    Expr values_in(const Expr &e) override {
        return map_calls(e, [&](const Call *call) -> Expr {
            return call->call_type == Call::Halide ? tape_.value(callee(call), call->value_index, call->args)
                                                   : Expr();
        });
    }
    Expr made(const MadeResidual &residual, const Type &type, const std::vector<Expr> &args) override {
        Placeholder p;
        p.func = make_leaf("made_" + residual.kind, adjoint_vars(f_), type);
        p.is_made = true;
        p.made = residual;
        tape_.add_placeholder(p);
        return p.func(args);
    }
    void contribute(const Function &g, const Contribution &contribution,
                    const SymbolicRegion *within) override {
        if (within) {
            tape_.within_[g.name()] = *within;
        }
        if (tape_.is_active(g.name())) {
            tape_.parts_[{g.name(), 0}].push_back(clean(contribution, within ? *within : tape_.region(g)));
        }
    }
    Func define(const std::string &name, const Contribution &definition,
                const SymbolicRegion &region) override {
        const Func f = define_func("d_" + tensor_name(f_) + "_" + name, clean(definition, region));
        tape_.finished_.insert(f.name());
        return f;
    }
    void chain(const std::vector<std::string> &vars, const SymbolicRegion &region, const Expr &inner,
               const Expr &adjoint) override {
        const Call *call = inner.as<Call>();
        if (call && is_identity_call(inner, vars) && callee(call).name() != f_.name()) {
            // The inner expression is another Func as it is: its adjoint needs no Func in between.
            add_to(callee(call), call->value_index, vars, region, adjoint);
            return;
        }
        const Contribution d = clean({vars, adjoint, {}, {}}, region);
        Func segment(given_name(f_.name()) + "_inner");
        segment(std::vector<Var>(vars.begin(), vars.end())) = inner;
        tape_.differentiate(segment.function(), {define_func("d_" + segment.name(), d)}, region);
    }

private:
    // `adjoint` over `vars` is a part of g's adjoint within `region`, and there is nothing outside, where
    // others may read g too.
    void add_to(const Function &g, int element, const std::vector<std::string> &vars,
                const SymbolicRegion &region, const Expr &adjoint) {
        if (!tape_.is_active(g.name())) {
            return;
        }
        const std::vector<std::string> names = adjoint_vars(g);
        const SymbolicRegion &whole = tape_.region(g);
        VariableBounds bounds;
        add_variables(bounds, names, whole);
        std::map<std::string, Expr> rename;
        Expr inside = const_true();
        for (size_t d = 0; d < vars.size(); d++) {
            const Expr v = Var(names[d]);
            const bool is_inside = proved(v >= region[d].min, bounds) && proved(v <= region[d].max, bounds);
            inside = is_inside ? inside : inside && v >= region[d].min && v <= region[d].max;
            rename[vars[d]] = is_inside ? v : clamp(v, region[d].min, region[d].max);
        }
        const Expr there = replace_variables(adjoint, rename);
        const Expr value = is_const_one(inside) ? there : select(inside, there, make_zero(there.type()));
        tape_.parts_[{g.name(), element}].push_back(clean({names, value, {}, {}}, whole));
    }
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

bool apply_first_rule(Tape &tape, const Function &f, const Func &adjoint, const RuleList &rules) {
    TapeSite site(tape, f, adjoint);
    for (const DerivativeRule &rule : rules) {
        if (rule.apply && rule.apply(site)) {
            return true;
        }
    }
    return false;
}

}  // namespace eutectic
