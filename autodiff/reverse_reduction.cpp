// Updates at the pure variables' point (stages.h, "reduction").

#include "autodiff/stage_walk.h"

using namespace Halide;
using namespace Halide::Internal;

namespace eutectic {

namespace {

// f's pure variables, then the time t.
std::vector<Expr> with_time(const Function &f, const Expr &t) {
    std::vector<Expr> args = pure_args(f);
    args.push_back(t);
    return args;
}

std::vector<Var> timed_vars(const Function &f) {
    std::vector<Var> vars(f.args().begin(), f.args().end());
    vars.emplace_back(unique_name("t"));
    return vars;
}

// The number of the step at `point`.
Expr time_of(const UpdateStep &step, const std::map<std::string, Expr> &point) {
    return position(step.rvars, [&](const std::string &v) { return point.at(v); });
}

Expr element_of(const Func &f, const std::vector<Expr> &args, int element) {
    return f.outputs() == 1 ? Expr(f(args)) : Expr(f(args)[element]);
}

}  // namespace

// h of stages.h.
Func StageWalk::history_of(size_t stage, const UpdateStep &step) {
    Func history("d_" + tensor_name(f_) + "_history");
    const std::map<std::string, Expr> point = domain_variables(step.rvars);
    VariableBounds bounds;
    add_variables(bounds, f_.args(), tape_.region(f_));
    for (const ReductionVariable &v : step.rvars) {
        bounds.push(point.at(v.var).as<Variable>()->name,
                    Interval(v.min, simplify_index(v.min + v.extent - 1)));
    }
    std::vector<Expr> first, next;
    for (int element = 0; element < f_.outputs(); element++) {
        first.push_back(value_of_version(stage - 1, element, pure_args(f_)));
    }
    history(timed_vars(f_)) = Tuple(first);
    const Expr now = time_of(step, point);
    for (const Expr &value : step.values) {
        next.push_back(in_backward(replace_variables(value, point), bounds, [&](const Call *call) {
            return element_of(history, with_time(f_, now), call->value_index);
        }));
    }
    history(with_time(f_, now + 1)) = Tuple(next);
    tape_.finished_.insert(history.name());
    return history;
}

// b of stages.h, where `values` are the steps' values, and `previous` stands in for h.
Func StageWalk::adjoints_of_steps(const UpdateStep &step, const std::vector<Expr> &values,
                                  const Function &previous) {
    const std::vector<int> elements = float_elements();
    Func b("d_" + tensor_name(f_) + "_steps");
    b(timed_vars(f_)) =
        Tuple(adjoints_or_zero([&](const Func &adjoint) { return Expr(adjoint(pure_args(f_))); }));
    const std::map<std::string, Expr> back = reversed(step.rvars);
    const Expr now = time_of(step, back);
    std::vector<Expr> before;
    for (const int element : elements) {
        Expr sum = make_zero(f_.output_types()[element]);
        for (size_t place = 0; place < elements.size(); place++) {
            const Expr slope =
                partial(values[elements[place]], previous, element, step_vars(step), step_region(step));
            if (!is_const_zero(slope)) {
                const Expr term =
                    adjoint_at(b, with_time(f_, now + 1), place) * replace_variables(slope, back);
                sum = is_const_zero(sum) ? term : sum + term;
            }
        }
        before.push_back(sum);
    }
    b(with_time(f_, now)) = Tuple(before);
    tape_.finished_.insert(b.name());
    return b;
}

void StageWalk::reverse_reduction(size_t stage) {
    const UpdateStep step = step_of(f_, stage);
    const std::vector<std::string> vars = step_vars(step);
    const size_t dims = f_.args().size();
    Func history;  // made when a derivative first reads it
    const Read read = [&](int element, const std::vector<Expr> &args) {
        if (!history.defined()) {
            history = history_of(stage, step);
        }
        std::map<std::string, Expr> point;
        for (size_t r = 0; r < step.rvars.size(); r++) {
            point[step.rvars[r].var] = args[dims + r];
        }
        std::vector<Expr> at(args.begin(), args.begin() + static_cast<std::ptrdiff_t>(dims));
        at.push_back(time_of(step, point));
        return element_of(history, at, element);
    };
    const Function previous = stand_in("previous", vars, step_region(step), f_.output_types(), read);
    std::vector<Expr> values;
    for (const Expr &value : step.values) {
        values.push_back(map_calls(value, [&](const Call *call) {
            return call->name == f_.name() ? Call::make(previous, expressions(vars), call->value_index)
                                           : Expr();
        }));
    }
    const Func b = adjoints_of_steps(step, values, previous);
    std::map<std::string, Expr> here;
    for (const ReductionVariable &v : step.rvars) {
        here[v.var] = Var(v.var);
    }
    differentiate_steps(step, values, b, with_time(f_, time_of(step, here) + 1));
    const std::vector<int> elements = float_elements();
    for (size_t place = 0; place < elements.size(); place++) {
        const Contribution before{f_.args(), adjoint_at(b, with_time(f_, 0), place), {}, {}};
        tape_.parts_[{versions_[stage - 1].name(), elements[place]}].push_back(before);
    }
}

}  // namespace eutectic
