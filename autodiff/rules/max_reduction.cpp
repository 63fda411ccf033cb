// m(i) = max over r of e(r, i)   ->   de(j, i) = select(j == argmax(i), dm(i), 0)
//
// argmax(i) is the position of the first largest element in the order of the reduction (innermost variable
// fastest), computed in the forward and kept. The gradient of a tie goes to the first. The same for min and
// argmin.

#include "autodiff/expr_tools.h"
#include "autodiff/rules/match.h"
#include "autodiff/rules/rule_list.h"

using namespace Halide;
using namespace Halide::Internal;

namespace eutectic {

namespace {

// What the reduction keeps: the largest or the smallest.
struct Extreme {
    Reduction reduction;
    bool is_max;
};

std::optional<Extreme> match(const Function &f) {
    for (const bool is_max : {true, false}) {
        const auto reduction = is_max ? reduction_with<Max>(f) : reduction_with<Min>(f);
        if (!reduction || !reduction->init.type().is_float()) {
            continue;
        }
        const Type t = reduction->init.type();
        const Expr init = simplify(reduction->init), worst = simplify(is_max ? t.min() : t.max());
        if (graph_equal(init, worst) || graph_equal(init, make_const(t, is_max ? -INFINITY : INFINITY))) {
            return Extreme{*reduction, is_max};
        }
    }
    return std::nullopt;
}

void define_position(Func result, const Function &m, const Extreme &extreme) {
    const Reduction &max = extreme.reduction;
    const RDom domain{ReductionDomain(max.rvars)};
    std::map<std::string, Expr> by_name;
    for (size_t v = 0; v < max.rvars.size(); v++) {
        by_name[max.rvars[v].var] = domain[static_cast<int>(v)];
    }
    const std::vector<Var> vars(m.args().begin(), m.args().end());
    const Expr value = replace_variables(max.value, by_name);
    const Expr here = position(max.rvars, [&](const std::string &v) { return by_name.at(v); });
    Func best(extreme.is_max ? "argmax" : "argmin");
    best(vars) = Tuple(0, extreme.is_max ? value.type().min() : value.type().max());
    const Expr better = extreme.is_max ? value > best(vars)[1] : value < best(vars)[1];
    best(vars) = Tuple(select(better, here, best(vars)[0]), select(better, value, best(vars)[1]));
    result(vars) = best(vars)[0];
}

}  // namespace

bool max_reduction_rule(AdjointSite &site) {
    const Function &f = site.func();
    const auto extreme = match(f);
    if (!extreme) {
        return false;
    }
    const Reduction *max = &extreme->reduction;
    MadeResidual argmax;
    argmax.kind = extreme->is_max ? "argmax" : "argmin";
    argmax.type = Int(32);
    argmax.region = site.region();
    argmax.define = [f, extreme = *extreme](const Func &func) { define_position(func, f, extreme); };
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
    const Expr adjoint =
        select(here == site.made(argmax, Int(32), args), site.adjoint(args), make_zero(max->value.type()));
    site.chain(vars, region, replace_variables(max->value, by_name), adjoint);
    return true;
}

}  // namespace eutectic
