#include "autodiff/stages.h"

#include "autodiff/stage_walk.h"

#include "autodiff/leaf.h"

using namespace Halide;
using namespace Halide::Internal;

namespace eutectic {

StageWalk::StageWalk(Tape &tape, const Function &f, std::vector<Func> adjoints)
    : tape_(tape),
      f_(f),
      adjoints_(std::move(adjoints)),
      is_active_([&tape](const Function &g, int element) { return tape.is_active(g, element); }) {
    add_variables(bounds_, f_.args(), tape_.region(f_));
}

StageWalk::~StageWalk() {
    for (const std::string &name : stand_ins_) {
        tape_.stand_ins_.erase(name);
    }
}

void StageWalk::run() {
    const size_t last = f_.updates().size();
    for (size_t stage = 0; stage <= last; stage++) {
        const Read read = [this, stage](int element, const std::vector<Expr> &args) {
            return value_of_version(stage, element, args);
        };
        versions_.push_back(stand_in("version", f_.args(), tape_.region(f_), f_.output_types(), read));
        tape_.activity_.add_as(versions_.back(), f_);
    }
    for (size_t stage = last; stage > 0; stage--) {
        switch (kind_of_update(f_, stage, is_active_)) {
        case UpdateKind::linear: reverse_linear(stage); break;
        case UpdateKind::scatter: reverse_scatter(stage); break;
        case UpdateKind::reduction: reverse_reduction(stage); break;
        case UpdateKind::scan: reverse_scan(stage); break;
        }
        adjoints_ = tape_.adjoints_of(versions_[stage - 1]);
    }
    for (size_t element = 0; element < adjoints_.size(); element++) {
        Func pure(given_name(f_.name()) + "_init");
        pure(variables(f_.args())) = stage_bodies(f_, static_cast<int>(element))[0].value;
        differentiate(pure, element, adjoints_[element], tape_.region(f_));
    }
}

Function StageWalk::stand_in(const std::string &name, const std::vector<std::string> &vars,
                             const SymbolicRegion &region, const std::vector<Type> &types, const Read &read) {
    Func f(given_name(f_.name()) + "_" + name);
    std::vector<Expr> nothing;
    for (const Type &t : types) {
        nothing.push_back(undef(t));
    }
    f(variables(vars)) = Tuple(nothing);
    tape_.regions_[f.name()] = region;
    tape_.stand_ins_[f.name()] = read;
    stand_ins_.push_back(f.name());
    return f.function();
}

// What the backward reads of f after `stage`: the result itself, the pure definition written out, or the
// updates done again.
Expr StageWalk::value_of_version(size_t stage, int element, const std::vector<Expr> &args) {
    if (stage == f_.updates().size()) {
        return tape_.value(f_, element, args);
    }
    if (stage == 0) {
        std::map<std::string, Expr> at;
        for (size_t d = 0; d < args.size(); d++) {
            at[f_.args()[d]] = args[d];
        }
        return in_backward(replace_variables(stage_bodies(f_, element)[0].value, at), VariableBounds());
    }
    if (!replays_.count(stage)) {
        replays_[stage] = replay(stage);
    }
    const Func again = replays_.at(stage);
    return f_.outputs() == 1 ? Expr(again(args)) : Expr(again(args)[element]);
}

Func StageWalk::replay(size_t last) {
    Func again("d_" + tensor_name(f_) + "_replay");
    for (size_t stage = 0; stage <= last; stage++) {
        std::vector<Expr> args, values;
        for (int element = 0; element < f_.outputs(); element++) {
            const StageBody body = stage_bodies(f_, element)[stage];
            VariableBounds bounds;
            add_variables(bounds, body.rvars);
            const auto rewrite = [&](const Expr &e) {
                return in_backward(e, bounds, [&](const Call *call) -> Expr {
                    return f_.outputs() == 1 ? Expr(again(call->args))
                                             : Expr(again(call->args)[call->value_index]);
                });
            };
            values.push_back(rewrite(body.value));
            if (element == 0) {
                for (const Expr &arg : body.args) {
                    args.push_back(rewrite(arg));
                }
            }
        }
        if (stage == 0) {
            again(variables(f_.args())) = Tuple(values);
        } else {
            again(args) = Tuple(values);
        }
    }
    tape_.finished_.insert(again.name());
    return again;
}

// e with every load read in the backward, inside its Func's region; `self` says what a read of f itself is.
Expr StageWalk::in_backward(const Expr &e, const VariableBounds &bounds,
                            const std::function<Expr(const Call *)> &self) {
    return map_calls(e, [&](const Call *call) -> Expr {
        if (call->call_type != Call::Halide) {
            return Expr();
        }
        if (call->name == f_.name()) {
            return self(call);
        }
        return tape_.value_within(callee(call), call->value_index, call->args, bounds);
    });
}

void StageWalk::differentiate(const Func &f, size_t element, const Func &adjoint,
                              const SymbolicRegion &region) {
    if (adjoint.defined() && f_.output_types()[element].is_float()) {
        tape_.differentiate(f.function(), {adjoint}, region);
    }
}

// The update alone, over the version before: a Func that propagate_adjoints can reverse.
void StageWalk::reverse_linear(size_t stage) {
    for (size_t element = 0; element < adjoints_.size(); element++) {
        const StageBody body = stage_bodies(f_, static_cast<int>(element))[stage];
        Func update(given_name(f_.name()) + "_update");
        update(variables(f_.args())) =
            Call::make(versions_[stage - 1], pure_args(f_), static_cast<int>(element));
        update(body.args) = map_calls(body.value, [&](const Call *call) {
            return call->name == f_.name() ? Expr(update(call->args)) : Expr();
        });
        differentiate(update, element, adjoints_[element], tape_.region(f_));
    }
}

// The version before has the same adjoint; what was added has it at the points that it was added to.
void StageWalk::reverse_scatter(size_t stage) {
    const UpdateStep step = step_of(f_, stage);
    const std::vector<std::string> vars = step_vars(step);
    VariableBounds bounds;
    add_variables(bounds, vars, step_region(step));
    std::vector<Expr> where;
    for (const Expr &arg : step.args) {
        where.push_back(in_backward(arg, bounds));
    }
    for (const int element : float_elements()) {
        const Func &adjoint = adjoints_[element];
        if (!adjoint.defined()) {
            continue;
        }
        tape_.parts_[{versions_[stage - 1].name(), element}].push_back(
            {f_.args(), adjoint(pure_args(f_)), {}, {}});
        Func added(given_name(f_.name()) + "_added");
        added(variables(vars)) = added_by(f_, element, step);
        const Expr there = tape_.guarded(adjoint, tape_.region(f_), where, bounds);
        differentiate(added, static_cast<size_t>(element),
                      define_func("d_" + added.name(), {vars, there, {}, {}}), step_region(step));
    }
}

// d value / d read over `region`, where `read` is element `element` of a stand-in read at just `vars`; zero
// where it does not occur.
Expr StageWalk::partial(const Expr &value, const Function &read, int element,
                        const std::vector<std::string> &vars, const SymbolicRegion &region) {
    Func step(given_name(f_.name()) + "_step");
    step(variables(vars)) = value;
    const Segment segment = cut(step.function(), tape_.rules_);
    const Func marker = make_leaf("one", vars, segment.func.type());
    Region ranges = as_min_extent(region);
    for (Range &range : ranges) {
        range.extent = simplify_index(range.extent - 1);
    }
    const Derivative derivative = propagate_adjoints(segment.func, marker, ranges);
    const Resolve resolve = tape_.resolver(segment, marker.name(), marker, region);
    Expr result = make_zero(segment.func.type());
    for (const LeafLoad &load : segment.loads) {
        const Func raw = derivative(load.leaf);
        if (load.callee.name() == read.name() && load.value_index == element && raw.defined()) {
            result = tidy(raw, vars, region, resolve).value;
        }
    }
    // The marker stands for 1.
    VariableBounds bounds;
    add_variables(bounds, vars, region);
    const Expr slope =
        tidy_expr(map_calls(result,
                            [&](const Call *call) {
                                return call->name == marker.name() ? make_one(marker.type()) : Expr();
                            }),
                  bounds, [](const Call *call, const VariableBounds &) { return Expr(call); });
    return slope.type() == value.type() ? slope : cast(value.type(), slope);
}

std::vector<int> StageWalk::float_elements() const {
    std::vector<int> elements;
    for (int element = 0; element < f_.outputs(); element++) {
        if (f_.output_types()[element].is_float()) {
            elements.push_back(element);
        }
    }
    return elements;
}

std::vector<Expr> StageWalk::adjoints_or_zero(const std::function<Expr(const Func &)> &read) const {
    std::vector<Expr> result;
    for (const int element : float_elements()) {
        const Func &adjoint = adjoints_[element];
        result.push_back(adjoint.defined() ? read(adjoint) : make_zero(f_.output_types()[element]));
    }
    return result;
}

Expr StageWalk::adjoint_at(const Func &b, const std::vector<Expr> &args, size_t place) const {
    return float_elements().size() == 1 ? Expr(b(args)) : Expr(b(args)[static_cast<int>(place)]);
}

std::vector<std::string> StageWalk::step_vars(const UpdateStep &step) const {
    std::vector<std::string> vars;
    for (size_t d = 0; d < step.args.size(); d++) {
        if (is_pure_argument(f_, step.args, d)) {
            vars.push_back(f_.args()[d]);
        }
    }
    for (const ReductionVariable &v : step.rvars) {
        vars.push_back(v.var);
    }
    return vars;
}

SymbolicRegion StageWalk::step_region(const UpdateStep &step) const {
    SymbolicRegion region;
    for (size_t d = 0; d < step.args.size(); d++) {
        if (is_pure_argument(f_, step.args, d)) {
            region.push_back(tape_.region(f_)[d]);
        }
    }
    for (const ReductionVariable &v : step.rvars) {
        region.emplace_back(v.min, simplify_index(v.min + v.extent - 1));
    }
    return region;
}

void StageWalk::differentiate_steps(const UpdateStep &step, const std::vector<Expr> &values, const Func &b,
                                    const std::vector<Expr> &at) {
    const std::vector<std::string> vars = step_vars(step);
    const std::vector<int> elements = float_elements();
    for (size_t place = 0; place < elements.size(); place++) {
        const auto element = static_cast<size_t>(elements[place]);
        Func one(given_name(f_.name()) + "_step");
        one(variables(vars)) = values[element];
        const Func adjoint = define_func("d_" + one.name(), {vars, adjoint_at(b, at, place), {}, {}});
        differentiate(one, element, adjoint, step_region(step));
    }
}

std::map<std::string, Expr> reversed(const std::vector<ReductionVariable> &rvars) {
    std::map<std::string, Expr> points = domain_variables(rvars);
    for (const ReductionVariable &v : rvars) {
        points[v.var] = simplify_index(v.min + v.min + v.extent - 1 - points.at(v.var));
    }
    return points;
}

std::vector<Var> StageWalk::variables(const std::vector<std::string> &names) {
    return {names.begin(), names.end()};
}

std::vector<Expr> StageWalk::expressions(const std::vector<std::string> &names) {
    const std::vector<Var> vars = variables(names);
    return {vars.begin(), vars.end()};
}

void reverse_stages(Tape &tape, const Function &f, const std::vector<Func> &adjoints) {
    StageWalk(tape, f, adjoints).run();
}

}  // namespace eutectic
