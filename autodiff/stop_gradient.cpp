#include "autodiff/stop_gradient.h"

#include "autodiff/expr_tools.h"

#include <map>

using namespace Halide;
using namespace Halide::Internal;

namespace eutectic {

namespace {

const std::string tag = "eutectic.stop_gradient";

}  // namespace

Func stop_gradient(Func func) {
    if (!stops_gradient(func.function())) {
        func.add_trace_tag(tag);
    }
    return func;
}

Expr stop_gradient(const Expr &e) {
    const Expr whole = substitute_in_all_lets(e);
    const std::vector<Expr> points = free_variables(whole);
    std::vector<Var> vars;
    std::map<std::string, Expr> own;
    for (const Expr &v : points) {
        vars.emplace_back(unique_name("v"));
        own[v.as<Variable>()->name] = vars.back();
    }
    Func stopped("stopped");
    stopped(vars) = replace_variables(whole, own);
    return stop_gradient(stopped)(points);
}

bool stops_gradient(const Function &f) {
    return has_trace_tag(f, tag);
}

}  // namespace eutectic
