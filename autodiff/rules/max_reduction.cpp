// m(i) = max over r of e(r, i)   ->   de(j, i) = select(j == argmax(i), dm(i), 0)
//
// argmax(i) is the position of the first largest element in the order of the reduction (innermost variable fastest), computed in
// the forward and kept. The gradient of a tie goes to the first.

#include "autodiff/expr_tools.h"
#include "autodiff/rules/match.h"
#include "autodiff/rules/rule_list.h"

using namespace Halide;
using namespace Halide::Internal;

namespace eutectic {

namespace {

// The position of a point of the reduction domain, counted from 0.
Expr position(const std::vector<ReductionVariable> &rvars, const std::function<Expr(const std::string &)> &variable) {
    Expr at = 0, stride = 1;
    for (const ReductionVariable &v : rvars) {
        at = at + (variable(v.var) - v.min) * stride;
        stride = stride * v.extent;
    }
    return simplify_index(at);
}

bool is_lowest(const Expr &e) {
    const Type t = e.type();
    return graph_equal(simplify(e), simplify(t.min())) || graph_equal(simplify(e), make_const(t, -INFINITY));
}

void define_argmax(Func result, const Function &m, const Reduction &max) {
    const RDom domain{ReductionDomain(max.rvars)};
    std::map<std::string, Expr> by_name;
    for (size_t v = 0; v < max.rvars.size(); v++) {
        by_name[max.rvars[v].var] = domain[static_cast<int>(v)];
    }
    const std::vector<Var> vars(m.args().begin(), m.args().end());
    const Expr value = replace_variables(max.value, by_name);
    const Expr here = position(max.rvars, [&](const std::string &v) { return by_name.at(v); });
    Func best("argmax");
    best(vars) = Tuple(0, value.type().min());
    const Expr better = value > best(vars)[1];
    best(vars) = Tuple(select(better, here, best(vars)[0]), select(better, value, best(vars)[1]));
    result(vars) = best(vars)[0];
}

}  // namespace

bool max_reduction_rule(AdjointSite &site) {
    const Function &f = site.func();
    const auto max = reduction_with<Max>(f);
    if (!max || !is_lowest(max->init)) {
        return false;
    }
    MadeResidual argmax;
    argmax.kind = "argmax";
    argmax.type = Int(32);
    argmax.region = site.region();
    argmax.define = [f, max](const Func &func) { define_argmax(func, f, *max); };
    argmax.read = [](const auto &tensor, const std::vector<Expr> &args) { return tensor(args); };

    // The element (r…, i…) of e is a point of the reduction domain and of m.
    std::vector<std::string> vars;
    SymbolicRegion region;
    std::map<std::string, Expr> by_name;
    for (const ReductionVariable &v : max->rvars) {
        vars.push_back(unique_name("max_r"));
        by_name[v.var] = Var(vars.back());
        region.emplace_back(v.min, simplify_index(v.min + v.extent - 1));
    }
    vars.insert(vars.end(), f.args().begin(), f.args().end());
    region.insert(region.end(), site.region().begin(), site.region().end());

    const std::vector<Expr> args = pure_args(f);
    const Expr here = position(max->rvars, [&](const std::string &v) { return by_name.at(v); });
    const Expr adjoint = select(here == site.made(argmax, Int(32), args), site.adjoint(args), make_zero(max->value.type()));
    site.chain(vars, region, replace_variables(max->value, by_name), adjoint);
    return true;
}

}  // namespace eutectic
